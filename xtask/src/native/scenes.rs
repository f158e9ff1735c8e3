//! The scenes that random programs are made of. Each is one way in which threads synchronise.

use super::draft::Draft;

/// A scene.
#[derive(Copy, Clone)]
pub(super) struct Scene {
    /// How many threads have to take part.
    pub(super) least: usize,
    /// Writes it.
    pub(super) write: fn(&mut Draft),
}

const fn scene(least: usize, write: fn(&mut Draft)) -> Scene {
    Scene { least, write }
}

/// All scenes.
pub(super) const SCENES: &[Scene] = &[
    scene(1, counter),
    scene(1, counter),
    scene(1, chosen_lock),
    scene(1, nested),
    scene(2, event),
    scene(2, event),
    scene(2, permits),
    scene(2, barrier),
    scene(2, flag),
    scene(2, last_one),
    scene(1, read_write),
    scene(1, once),
    scene(1, attempt),
    scene(2, queue),
    scene(1, rounds),
    scene(1, rounds),
    scene(1, leave),
    scene(2, ring),
    scene(2, turns),
    scene(1, kinds),
    scene(1, spin),
    scene(1, result),
    scene(1, heap),
    scene(2, rendezvous),
];

fn lines(text: &str) -> Vec<String> {
    text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
}

/// Each adds to a number under a lock; by mistake a lock is kept.
fn counter(d: &mut Draft) {
    let k = d.scene;
    d.global(format!("static pthread_mutex_t lock{k} = PTHREAD_MUTEX_INITIALIZER;"));
    d.global(format!("static int value{k};"));
    let forgetful = if d.has_mistake() { d.cast[d.random.below(d.cast.len())] } else { usize::MAX };
    for thread in d.cast.clone() {
        let mut body = lines(&format!("pthread_mutex_lock(&lock{k});\nvalue{k} += me + 1;"));
        if thread == forgetful {
            let condition = d.condition();
            body.push(format!("if (!({condition}))"));
        }
        body.push(format!("pthread_mutex_unlock(&lock{k});"));
        guarded(d, thread, body);
    }
}

/// In a third of the cases only for some inputs.
fn guarded(d: &mut Draft, thread: usize, body: Vec<String>) {
    if d.random.chance(35) {
        let condition = d.condition();
        d.act(thread, &[format!("if ({condition}) {{")]);
        d.act(thread, &body);
        d.act(thread, &["}".to_owned()]);
    } else {
        d.act(thread, &body);
    }
}

/// An input chooses the lock.
fn chosen_lock(d: &mut Draft) {
    let k = d.scene;
    d.global(format!(
        "static pthread_mutex_t locks{k}[2] = {{ PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER }};"
    ));
    d.global(format!("static int cell{k}[2];"));
    for thread in d.cast.clone() {
        let input = d.input();
        let index = match d.random.below(3) {
            0 => format!("{input} & 1"),
            1 => format!("({} ? 1 : 0)", d.condition()),
            _ => format!("({input} + me) & 1"),
        };
        d.act(thread, &lines(&format!("{{\nint i = {index};\npthread_mutex_lock(&locks{k}[i]);\ncell{k}[i]++;\npthread_mutex_unlock(&locks{k}[i]);\n}}")));
    }
}

/// Two locks, always in one order; by mistake once in the other, or one of them twice.
fn nested(d: &mut Draft) {
    let k = d.scene;
    d.global(format!(
        "static pthread_mutex_t outer{k} = PTHREAD_MUTEX_INITIALIZER, inner{k} = PTHREAD_MUTEX_INITIALIZER;"
    ));
    let wrong = if d.has_mistake() { d.cast[d.random.below(d.cast.len())] } else { usize::MAX };
    for thread in d.cast.clone() {
        let order = |first: &str, second: &str| {
            lines(&format!(
                "pthread_mutex_lock(&{first}{k});\npthread_mutex_lock(&{second}{k});\npthread_mutex_unlock(&{second}{k});\npthread_mutex_unlock(&{first}{k});"
            ))
        };
        if thread == wrong {
            let condition = d.condition();
            let body = if d.random.chance(50) { order("inner", "outer") } else { order("outer", "outer") };
            d.act(thread, &[format!("if ({condition}) {{")]);
            d.act(thread, &body);
            d.act(thread, &["} else {".to_owned()]);
            d.act(thread, &order("outer", "inner"));
            d.act(thread, &["}".to_owned()]);
        } else {
            guarded(d, thread, order("outer", "inner"));
        }
    }
}

/// One says that something has happened, the others wait for it; by mistake it is not said, or to one only.
fn event(d: &mut Draft) {
    let k = d.scene;
    d.global(format!("static pthread_mutex_t gate{k} = PTHREAD_MUTEX_INITIALIZER;"));
    d.global(format!("static pthread_cond_t opened{k} = PTHREAD_COND_INITIALIZER;"));
    d.global(format!("static int open{k};"));
    let mistake = if d.has_mistake() { 1 + d.random.below(2) } else { 0 };
    let (tells, waits) = d.cast.clone().split_last().map(|(last, rest)| (*last, rest.to_vec())).expect("two take part");
    let wake = if mistake == 1 || waits.len() == 1 && d.random.chance(50) { "signal" } else { "broadcast" };
    let condition = d.condition();
    let guard = if mistake == 2 { format!("if ({condition}) ") } else { String::new() };
    d.act(tells, &lines(&format!("pthread_mutex_lock(&gate{k});\n{guard}open{k} = 1;\npthread_cond_{wake}(&opened{k});\npthread_mutex_unlock(&gate{k});")));
    for thread in waits {
        d.act(thread, &lines(&format!("pthread_mutex_lock(&gate{k});\nwhile (!open{k}) pthread_cond_wait(&opened{k}, &gate{k});\npthread_mutex_unlock(&gate{k});")));
    }
}

/// Some post a semaphore as often as the others wait for it; by mistake once less.
fn permits(d: &mut Draft) {
    let k = d.scene;
    d.global(format!("static sem_t permits{k};"));
    let first = d.random.below(2);
    d.set_up(format!("sem_init(&permits{k}, 0, {first});"));
    let count = d.count();
    let (posts, waits) = (d.cast[0], d.cast[1]);
    let more = if d.has_mistake() { format!(" + (({}) ? {} : 0)", d.condition(), first + 1) } else { String::new() };
    d.act(posts, &lines(&format!("for (int i = 0; i < {count}; i++) sem_post(&permits{k});")));
    d.act(waits, &lines(&format!("for (int i = 0; i < {count}{more}; i++) sem_wait(&permits{k});")));
}

/// All come to a barrier; by mistake one does not.
fn barrier(d: &mut Draft) {
    let k = d.scene;
    d.global(format!("static pthread_barrier_t barrier{k};"));
    let count = d.cast.len();
    d.set_up(format!("pthread_barrier_init(&barrier{k}, NULL, {count});"));
    let rounds = if d.random.chance(25) { d.rounds() } else { (1 + d.random.below(2)).to_string() };
    let late = if d.has_mistake() { d.cast[d.random.below(count)] } else { usize::MAX };
    for thread in d.cast.clone() {
        let guard = if thread == late { format!("if ({}) ", d.condition()) } else { String::new() };
        d.act(thread, &lines(&format!("{guard}for (int i = 0; i < {rounds}; i++) pthread_barrier_wait(&barrier{k});")));
    }
}

/// One sets an atomic flag that the others look at until it is set.
fn flag(d: &mut Draft) {
    let k = d.scene;
    d.global(format!("static atomic_int flag{k};"));
    d.global(format!("static int message{k};"));
    let (sets, looks) = (d.cast[0], d.cast[1]);
    d.act(sets, &lines(&format!("message{k} = x;\natomic_store(&flag{k}, 1);")));
    let pause = d.random.pick(&["sched_yield();", ";"]);
    d.act(looks, &lines(&format!("while (!atomic_load(&flag{k})) {pause}\nmessage{k}++;")));
}

/// Each counts with an atomic; who is the last takes a lock.
fn last_one(d: &mut Draft) {
    let k = d.scene;
    d.global(format!("static atomic_int here{k};"));
    d.global(format!("static pthread_mutex_t book{k} = PTHREAD_MUTEX_INITIALIZER;"));
    let count = d.cast.len();
    for thread in d.cast.clone() {
        d.act(thread, &lines(&format!("if (atomic_fetch_add(&here{k}, 1) == {}) {{\npthread_mutex_lock(&book{k});\npthread_mutex_unlock(&book{k});\n}}", count - 1)));
    }
}

/// Readers and writers.
fn read_write(d: &mut Draft) {
    let k = d.scene;
    d.global(format!("static pthread_rwlock_t shelf{k} = PTHREAD_RWLOCK_INITIALIZER;"));
    d.global(format!("static int books{k};"));
    for thread in d.cast.clone() {
        let body = if d.random.chance(50) {
            format!("pthread_rwlock_rdlock(&shelf{k});\nme += books{k} > 100;\npthread_rwlock_unlock(&shelf{k});")
        } else {
            format!("pthread_rwlock_wrlock(&shelf{k});\nbooks{k}++;\npthread_rwlock_unlock(&shelf{k});")
        };
        guarded(d, thread, lines(&body));
    }
}

/// A routine that runs once.
fn once(d: &mut Draft) {
    let k = d.scene;
    d.global(format!("static pthread_once_t once{k} = PTHREAD_ONCE_INIT;"));
    d.global(format!("static int made{k};"));
    d.global(format!("static void make{k}(void) {{ made{k} = x + 1; }}"));
    for thread in d.cast.clone() {
        let body = lines(&format!("pthread_once(&once{k}, make{k});\nme += made{k} > 100;"));
        guarded(d, thread, body);
    }
}

/// A lock is tried, and something else is done where another thread has it.
fn attempt(d: &mut Draft) {
    let k = d.scene;
    d.global(format!(
        "static pthread_mutex_t desk{k} = PTHREAD_MUTEX_INITIALIZER, hall{k} = PTHREAD_MUTEX_INITIALIZER;"
    ));
    for thread in d.cast.clone() {
        let body = if d.random.chance(60) {
            format!(
                "if (pthread_mutex_trylock(&desk{k}) == 0) {{\npthread_mutex_unlock(&desk{k});\n}} else {{\npthread_mutex_lock(&hall{k});\npthread_mutex_unlock(&hall{k});\n}}"
            )
        } else {
            format!("pthread_mutex_lock(&desk{k});\npthread_mutex_unlock(&desk{k});")
        };
        d.act(thread, &lines(&body));
    }
}

/// One makes what another takes, and says when there is no more; by mistake it does not.
fn queue(d: &mut Draft) {
    let k = d.scene;
    d.global(format!("static pthread_mutex_t belt{k} = PTHREAD_MUTEX_INITIALIZER;"));
    d.global(format!("static pthread_cond_t moved{k} = PTHREAD_COND_INITIALIZER;"));
    d.global(format!("static int parts{k}, over{k};"));
    let (makes, takes) = (d.cast[0], d.cast[1]);
    let rounds = d.rounds();
    let over = if d.has_mistake() { d.condition() } else { "1".to_owned() };
    d.act(
        makes,
        &lines(&format!(
            "for (int i = 0; i < {rounds}; i++) {{
        pthread_mutex_lock(&belt{k});
        parts{k}++;
        pthread_cond_signal(&moved{k});
        pthread_mutex_unlock(&belt{k});
        }}
        pthread_mutex_lock(&belt{k});
        over{k} = {over};
        pthread_cond_broadcast(&moved{k});
        pthread_mutex_unlock(&belt{k});"
        )),
    );
    d.act(
        takes,
        &lines(&format!(
            "for (;;) {{
        pthread_mutex_lock(&belt{k});
        while (parts{k} == 0 && !over{k}) pthread_cond_wait(&moved{k}, &belt{k});
        if (parts{k} == 0) {{
        pthread_mutex_unlock(&belt{k});
        break;
        }}
        parts{k}--;
        pthread_mutex_unlock(&belt{k});
        }}"
        )),
    );
}

/// Something under a lock, as often as an input says.
fn rounds(d: &mut Draft) {
    let k = d.scene;
    d.global(format!("static pthread_mutex_t round{k} = PTHREAD_MUTEX_INITIALIZER;"));
    d.global(format!("static int total{k};"));
    for thread in d.cast.clone() {
        let rounds = d.rounds();
        let odd = if d.random.chance(30) { format!("if ({}) ", d.condition()) } else { String::new() };
        d.act(thread, &lines(&format!("for (int i = 0; i < {rounds}; i++) {{\npthread_mutex_lock(&round{k});\n{odd}total{k}++;\npthread_mutex_unlock(&round{k});\n}}")));
    }
}

/// The process, or a thread, ends for some inputs.
fn leave(d: &mut Draft) {
    let condition = d.condition();
    let thread = d.cast[0];
    let how = match (thread, d.random.below(4)) {
        (0, 0) => "return 3;",
        (0, _) => "exit(4);",
        (_, 0) => "exit(5);",
        (_, 1) => "abort();",
        (_, 2) => "pthread_exit(NULL);",
        _ => "return NULL;",
    };
    if thread != 0 && how.ends_with("NULL);") || how.ends_with("NULL;") {
        // Others must not wait for it: only in front of everything, and only where nobody else has a part.
        d.behind(format!("if ({condition}) me += 1;"));
        return;
    }
    d.act(thread, &[format!("if ({condition}) {how}")]);
}

/// A token goes round.
fn ring(d: &mut Draft) {
    let k = d.scene;
    let count = d.cast.len();
    d.global(format!("static sem_t turn{k}[{count}];"));
    for place in 0..count {
        d.set_up(format!("sem_init(&turn{k}[{place}], 0, {});", usize::from(place == 0)));
    }
    let rounds = if d.random.chance(30) { d.rounds() } else { (1 + d.random.below(2)).to_string() };
    for (place, thread) in d.cast.clone().into_iter().enumerate() {
        let next = (place + 1) % count;
        d.act(
            thread,
            &lines(&format!(
                "for (int i = 0; i < {rounds}; i++) {{\nsem_wait(&turn{k}[{place}]);\nsem_post(&turn{k}[{next}]);\n}}"
            )),
        );
    }
}

/// Each waits until it is its turn.
fn turns(d: &mut Draft) {
    let k = d.scene;
    d.global(format!("static pthread_mutex_t table{k} = PTHREAD_MUTEX_INITIALIZER;"));
    d.global(format!("static pthread_cond_t changed{k} = PTHREAD_COND_INITIALIZER;"));
    d.global(format!("static int now{k};"));
    for (place, thread) in d.cast.clone().into_iter().enumerate() {
        d.act(thread, &lines(&format!("pthread_mutex_lock(&table{k});\nwhile (now{k} != {place}) pthread_cond_wait(&changed{k}, &table{k});\nnow{k}++;\npthread_cond_broadcast(&changed{k});\npthread_mutex_unlock(&table{k});")));
    }
}

/// A mutex that may be locked twice, or says that it may not.
fn kinds(d: &mut Draft) {
    let k = d.scene;
    let kind = if d.random.chance(30) {
        format!("({}) ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_ERRORCHECK", d.condition())
    } else {
        d.random.pick(&["PTHREAD_MUTEX_RECURSIVE", "PTHREAD_MUTEX_ERRORCHECK"]).to_owned()
    };
    d.global(format!("static pthread_mutex_t special{k};"));
    d.set_up(format!("{{ pthread_mutexattr_t kind; pthread_mutexattr_init(&kind); pthread_mutexattr_settype(&kind, {kind}); pthread_mutex_init(&special{k}, &kind); }}"));
    for thread in d.cast.clone() {
        d.act(thread, &lines(&format!("pthread_mutex_lock(&special{k});\nif (pthread_mutex_lock(&special{k}) == 0) pthread_mutex_unlock(&special{k});\npthread_mutex_unlock(&special{k});")));
    }
}

/// A spin lock.
fn spin(d: &mut Draft) {
    let k = d.scene;
    d.global(format!("static pthread_spinlock_t spin{k};"));
    d.set_up(format!("pthread_spin_init(&spin{k}, 0);"));
    d.global(format!("static int spun{k};"));
    for thread in d.cast.clone() {
        let body = lines(&format!("pthread_spin_lock(&spin{k});\nspun{k}++;\npthread_spin_unlock(&spin{k});"));
        guarded(d, thread, body);
    }
}

/// What threads have computed decides what `main` does with a lock in the end; by mistake it locks twice.
fn result(d: &mut Draft) {
    let k = d.scene;
    d.global(format!("static pthread_mutex_t sum_lock{k} = PTHREAD_MUTEX_INITIALIZER;"));
    d.global(format!("static int sum{k};"));
    for thread in d.cast.clone() {
        let input = d.input();
        d.act(
            thread,
            &lines(&format!(
                "pthread_mutex_lock(&sum_lock{k});\nsum{k} += {input} & {};\npthread_mutex_unlock(&sum_lock{k});",
                1 + d.scene
            )),
        );
    }
    let bound = d.random.below(4);
    let again = if d.has_mistake() { format!("pthread_mutex_lock(&sum_lock{k}); ") } else { String::new() };
    d.behind(format!(
        "if (sum{k} > {bound}) {{ pthread_mutex_lock(&sum_lock{k}); {again}pthread_mutex_unlock(&sum_lock{k}); }}"
    ));
}

/// A lock in an object of the heap, one of two.
fn heap(d: &mut Draft) {
    let k = d.scene;
    d.global(format!("static struct box{k} {{ int value; pthread_mutex_t lock; }} *box{k}, *other{k};"));
    for name in ["box", "other"] {
        d.set_up(format!("{name}{k} = calloc(1, sizeof *{name}{k});"));
        d.set_up(format!("pthread_mutex_init(&{name}{k}->lock, NULL);"));
    }
    for thread in d.cast.clone() {
        let condition = if d.random.chance(50) { d.condition() } else { "1".to_owned() };
        d.act(thread, &lines(&format!("{{\nstruct box{k} *b = ({condition}) ? box{k} : other{k};\npthread_mutex_lock(&b->lock);\nb->value++;\npthread_mutex_unlock(&b->lock);\n}}")));
    }
}

/// Two threads post and wait for each other; by mistake both wait first.
fn rendezvous(d: &mut Draft) {
    let k = d.scene;
    d.global(format!("static sem_t left{k}, right{k};"));
    d.set_up(format!("sem_init(&left{k}, 0, 0);"));
    d.set_up(format!("sem_init(&right{k}, 0, 0);"));
    let wrong = d.has_mistake();
    let condition = d.condition();
    let ends = [("left", "right"), ("right", "left")];
    for (thread, (own, other)) in [d.cast[0], d.cast[1]].into_iter().zip(ends) {
        let (post, wait) = (format!("sem_post(&{own}{k});"), format!("sem_wait(&{other}{k});"));
        if wrong {
            d.act(thread, &lines(&format!("if ({condition}) {{\n{wait}\n{post}\n}} else {{\n{post}\n{wait}\n}}")));
        } else {
            d.act(thread, &[post, wait]);
        }
    }
}
