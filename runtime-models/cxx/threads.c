/* What <thread>, <mutex>, <condition_variable> and <future> of libstdc++ call that is not in its headers. The names are
 * those of the Itanium C++ ABI. Everything else of these classes is in the headers and ends in calls of pthreads. */
#include "ics.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "library.h"
#include "ics_thread.h"

/* std::thread is its handle; 0 if there is no thread to join. */
struct ics_std_thread {
    pthread_t handle;
};

/* std::thread::_State: what the thread is to run, with the arguments. */
struct ics_std_state {
    const struct ics_std_state_table {
        void (*destroy)(struct ics_std_state *);
        void (*destroy_and_delete)(struct ics_std_state *);
        void (*run)(struct ics_std_state *);
    } *table;
};

static void *run_state(void *argument) {
    struct ics_std_state *state = argument;
    state->table->run(state);
    state->table->destroy_and_delete(state);
    return 0;
}

/* std::thread::_M_start_thread(std::unique_ptr<std::thread::_State>, void (*)()); the pointer is passed in memory. */
void _ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(
    struct ics_std_thread *self, struct ics_std_state **state, void (*linked)(void)) {
    int error = pthread_create(&self->handle, 0, run_state, *state);
    if (error) _ZSt20__throw_system_errori(error);
    *state = 0;
}

/* Calls for threads are taken to succeed. So in a run that begins in the middle of the program, where nobody knows
 * whether there is a thread, there is one. */
static void is_joinable(const struct ics_std_thread *self) {
    if (__ics_is_unknown(self->handle)) __ics_assume(self->handle != 0);
}

/* std::thread::join() */
void _ZNSt6thread4joinEv(struct ics_std_thread *self) {
    is_joinable(self);
    int error = self->handle ? pthread_join(self->handle, 0) : EINVAL;
    if (error) _ZSt20__throw_system_errori(error);
    self->handle = 0;
}

/* std::thread::detach() */
void _ZNSt6thread6detachEv(struct ics_std_thread *self) {
    is_joinable(self);
    int error = self->handle ? pthread_detach(self->handle) : EINVAL;
    if (error) _ZSt20__throw_system_errori(error);
    self->handle = 0;
}

/* std::thread::hardware_concurrency() */
unsigned _ZNSt6thread20hardware_concurrencyEv(void) {
    return ICS_PROCESSORS;
}

/* std::thread::_State::~_State(), for a part of an object, a whole one, and one of the heap. */
void _ZNSt6thread6_StateD2Ev(struct ics_std_state *self) {
}

void _ZNSt6thread6_StateD1Ev(struct ics_std_state *self) {
}

void _ZNSt6thread6_StateD0Ev(struct ics_std_state *self) {
    _ZdlPv(self);
}

const char _ZTSNSt6thread6_StateE[] = "NSt6thread6_StateE";
const struct ics_type _ZTINSt6thread6_StateE = {&_ZTVN10__cxxabiv117__class_type_infoE[2], _ZTSNSt6thread6_StateE};
const void *const _ZTVNSt6thread6_StateE[] = {
    0, &_ZTINSt6thread6_StateE, _ZNSt6thread6_StateD1Ev, _ZNSt6thread6_StateD0Ev, __cxa_pure_virtual,
};

/* std::this_thread::__sleep_for(std::chrono::seconds, std::chrono::nanoseconds) */
void _ZNSt11this_thread11__sleep_forENSt6chrono8durationIlSt5ratioILl1ELl1EEEENS1_IlS2_ILl1ELl1000000000EEEE(
    long seconds, long nanoseconds) {
    struct timespec time = {seconds, nanoseconds};
    nanosleep(&time, 0);
}

/* std::condition_variable is a pthread_cond_t. */
void _ZNSt18condition_variableC1Ev(pthread_cond_t *self) {
    pthread_cond_init(self, 0);
}

void _ZNSt18condition_variableC2Ev(pthread_cond_t *self) {
    pthread_cond_init(self, 0);
}

void _ZNSt18condition_variableD1Ev(pthread_cond_t *self) {
    pthread_cond_destroy(self);
}

void _ZNSt18condition_variableD2Ev(pthread_cond_t *self) {
    pthread_cond_destroy(self);
}

/* std::unique_lock<std::mutex> */
struct ics_unique_lock {
    pthread_mutex_t *mutex;
    unsigned char owns;
};

/* std::condition_variable::wait(std::unique_lock<std::mutex> &) */
void _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(pthread_cond_t *self, struct ics_unique_lock *lock) {
    pthread_cond_wait(self, lock->mutex);
}

void _ZNSt18condition_variable10notify_oneEv(pthread_cond_t *self) {
    pthread_cond_signal(self);
}

void _ZNSt18condition_variable10notify_allEv(pthread_cond_t *self) {
    pthread_cond_broadcast(self);
}

/* std::call_once says in variables of the thread what pthread_once is to run. */
__thread void *_ZSt15__once_callable;
__thread void (*_ZSt11__once_call)(void);

void __once_proxy(void) {
    _ZSt11__once_call();
}

/* Whether no second thread was ever made; libstdc++ then counts references without atomic instructions. It counts the
 * same either way. */
char __libc_single_threaded = 0;

/* std::__future_base::_Result_base: the table and a pointer to an exception. Whether there is a value is a flag of the
 * results that have one, behind these. */
struct ics_future_result {
    const void *table;
    void *exception;
};

void _ZNSt13__future_base12_Result_baseD2Ev(struct ics_future_result *self) {
}

void _ZNSt13__future_base12_Result_baseD0Ev(struct ics_future_result *self) {
    _ZdlPv(self);
}

const char _ZTSNSt13__future_base12_Result_baseE[] = "NSt13__future_base12_Result_baseE";
const struct ics_type _ZTINSt13__future_base12_Result_baseE = {
    &_ZTVN10__cxxabiv117__class_type_infoE[2], _ZTSNSt13__future_base12_Result_baseE};
const void *const _ZTVNSt13__future_base12_Result_baseE[] = {
    0, &_ZTINSt13__future_base12_Result_baseE, __cxa_pure_virtual, _ZNSt13__future_base12_Result_baseD2Ev,
    _ZNSt13__future_base12_Result_baseD0Ev,
};

void _ZNSt13__future_base12_Result_baseC2Ev(struct ics_future_result *self) {
    self->table = &_ZTVNSt13__future_base12_Result_baseE[2];
    self->exception = 0;
}

/* std::__future_base::_State_baseV2::_Make_ready::_M_set(), of set_value_at_thread_exit */
void _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv(void *self) {
    __ics_unsupported("a future that gets its value at the end of a thread");
}

/* std::notify_all_at_thread_exit(std::condition_variable &, std::unique_lock<std::mutex>) */
void _ZSt25notify_all_at_thread_exitRSt18condition_variableSt11unique_lockISt5mutexE(void *condition, void *lock) {
    __ics_unsupported("std::notify_all_at_thread_exit");
}

/* The clocks of <chrono> count nanoseconds. In the symbolic domain that is an input of its own. */
static long now(clockid_t clock, const char *input) {
    if (__ics_is_symbolic_domain()) {
        unsigned long time = __ics_input(input, 64);
        __ics_assume(time < 1ul << 62);
        return (long)time;
    }
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000 + time.tv_nsec;
}

long _ZNSt6chrono3_V212steady_clock3nowEv(void) {
    return now(CLOCK_MONOTONIC, "steady_clock");
}

long _ZNSt6chrono3_V212system_clock3nowEv(void) {
    return now(CLOCK_REALTIME, "system_clock");
}
