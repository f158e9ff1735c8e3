//! What a reader at a terminal sees.

use crate::common;
use expect_test::expect;
use icsched_report::text::{TextOptions, render};
use icsched_report::{Painter, View};
use icsched_schedule::Enumeration;

fn text(enumeration: &Enumeration) -> String {
    render(&View::whole(enumeration), TextOptions::default())
}

#[test]
fn two_schedules_of_three_threads() {
    expect![[r#"
        fig31.bc: 1 epoch, 2 schedules; complete for runs held to them: every input can follow one of them

        Schedule 1 of 2  3059a5b13e6a
          inputs  atoi(argv[1]) == 0
          ends    the program exits with status 0
          order   15 synchronisation events of 4 threads:

            T0  T1  T2  T3
            ●                 T0.1  pthread_create(T1)       fig31.c:22
            ●                 T0.2  pthread_create(T2)       fig31.c:22
            ●                 T0.3  pthread_create(T3)       fig31.c:22
            ├───●             T1.1  pthread_mutex_lock(A)    fig31.c:8   after T0.1
            │   ●             T1.2  pthread_mutex_unlock(A)  fig31.c:10
            │   ●             T1.3  exit of thread(T1)       fig31.c:16
            ├───┼───●         T2.1  pthread_mutex_lock(A)    fig31.c:8   after T0.2 and T1.2
            │   │   ●         T2.2  pthread_mutex_unlock(A)  fig31.c:10
            │   │   ●         T2.3  exit of thread(T2)       fig31.c:16
            ├───│───┼───●     T3.1  pthread_mutex_lock(A)    fig31.c:8   after T0.3 and T2.2
            │   │   │   ●     T3.2  pthread_mutex_unlock(A)  fig31.c:10
            │   │   │   ●     T3.3  exit of thread(T3)       fig31.c:16
            ●───┘   │   │     T0.4  pthread_join(T1)         fig31.c:24  after T1.3
            ●───────┘   │     T0.5  pthread_join(T2)         fig31.c:24  after T2.3
            ●───────────┘     T0.6  pthread_join(T3)         fig31.c:24  after T3.3

        Schedule 2 of 2  af26db00ea51
          inputs  atoi(argv[1]) != 0
          ends    the program exits with status 0
          order   15 synchronisation events of 4 threads:

            T0  T1  T2  T3
            ●                 T0.1  pthread_create(T1)       fig31.c:22
            ●                 T0.2  pthread_create(T2)       fig31.c:22
            ●                 T0.3  pthread_create(T3)       fig31.c:22
            ├───●             T1.1  pthread_mutex_lock(B)    fig31.c:12  after T0.1
            │   ●             T1.2  pthread_mutex_unlock(B)  fig31.c:14
            │   ●             T1.3  exit of thread(T1)       fig31.c:16
            ├───┼───●         T2.1  pthread_mutex_lock(B)    fig31.c:12  after T0.2 and T1.2
            │   │   ●         T2.2  pthread_mutex_unlock(B)  fig31.c:14
            │   │   ●         T2.3  exit of thread(T2)       fig31.c:16
            ├───│───┼───●     T3.1  pthread_mutex_lock(B)    fig31.c:12  after T0.3 and T2.2
            │   │   │   ●     T3.2  pthread_mutex_unlock(B)  fig31.c:14
            │   │   │   ●     T3.3  exit of thread(T3)       fig31.c:16
            ●───┘   │   │     T0.4  pthread_join(T1)         fig31.c:24  after T1.3
            ●───────┘   │     T0.5  pthread_join(T2)         fig31.c:24  after T2.3
            ●───────────┘     T0.6  pthread_join(T3)         fig31.c:24  after T3.3

        This holds if there are no data races and the number of live threads is bounded.
        0.06 s, 2 paths, 31002 instructions, 40 solver queries (0.01 s), peak 48 MiB
    "#]]
    .assert_eq(&text(&common::figure_3_1(3)));
}

#[test]
fn a_deadlock() {
    expect![[r#"
        abba.bc: 1 epoch, 2 schedules, 1 deadlocked; complete for runs held to them: every input can follow one of them

        Deadlocks
          Schedule 2, if strcmp(argv[1], "-x") == 0 && argc > 1:
            T0 is blocked in pthread_join(T1) at abba.c:33, waiting for T1 to end
            T1 is blocked in pthread_mutex_lock(B) at abba.c:10, waiting for B to be unlocked; T2 holds it since abba.c:17
            T2 is blocked in pthread_mutex_lock(A) at abba.c:19, waiting for A to be unlocked; T1 holds it since abba.c:8
            a cycle: T1 waits for T2, which waits for T1

        Schedule 1 of 2  04ed370b2668
          inputs  strcmp(argv[1], "-x") != 0
          ends    the program exits; its status may depend on the input
          order   10 synchronisation events of 3 threads:

            T0  T1  T2
            ●             T0.1  pthread_create(T1)       abba.c:30
            ●             T0.2  pthread_create(T2)       abba.c:31
            ├───●         T1.1  pthread_mutex_lock(A)    abba.c:8   after T0.1
            │   ●         T1.2  pthread_mutex_unlock(A)  abba.c:11
            │   ●         T1.3  exit of thread(T1)       abba.c:12
            ├───┼───●     T2.1  pthread_mutex_lock(A)    abba.c:19  after T0.2 and T1.2
            │   │   ●     T2.2  pthread_mutex_unlock(A)  abba.c:21
            │   │   ●     T2.3  exit of thread(T2)       abba.c:22
            ●───┘   │     T0.3  pthread_join(T1)         abba.c:33  after T1.3
            ●───────┘     T0.4  pthread_join(T2)         abba.c:34  after T2.3

        Schedule 2 of 2  318607b918de
          inputs  strcmp(argv[1], "-x") == 0 && argc > 1
          ends    deadlock of T0, T1 and T2
          order   4 synchronisation events of 3 threads:

            T0  T1  T2
            ●             T0.1  pthread_create(T1)     abba.c:30
            ●             T0.2  pthread_create(T2)     abba.c:31
            ├───●         T1.1  pthread_mutex_lock(A)  abba.c:8   after T0.1
            ├───│───●     T2.1  pthread_mutex_lock(B)  abba.c:17  after T0.2
            ✗   │   │     T0    pthread_join(T1)       abba.c:33  blocked
                ✗   │     T1    pthread_mutex_lock(B)  abba.c:10  blocked by T2
                    ✗     T2    pthread_mutex_lock(A)  abba.c:19  blocked by T1

        This holds if there are no data races and the number of live threads is bounded.
        0.06 s, 2 paths, 31002 instructions, 40 solver queries (0.01 s), peak 48 MiB
    "#]].assert_eq(&text(&common::deadlock()));
}

#[test]
fn an_incomplete_result() {
    expect![[r#"
        loop.bc: 1 epoch, 3 schedules, 1 aborted, 1 memory error; incomplete: some inputs may follow none of them

        Why it is incomplete
          loop.c:11: the loop synchronises an input-dependent number of times [unbounded-sync-loop]
          loop.c:20: `tgamma` has no model; called by `main` [unmodelled]
          stopped after 10 s (--timeout) [limit]

        Schedule 1 of 3  459bad564bce
          inputs  n == 1
          ends    the program exits with status 3
          order   2 synchronisation events of 1 thread:

            T0
            ●     T0.1  pthread_mutex_lock(q.lock)    loop.c:12
            ●     T0.2  pthread_mutex_unlock(q.lock)  loop.c:14

        Schedule 2 of 3  13e0354a2aa9
          inputs  n == 2
          ends    the program aborts at loop.c:13: assertion `n != 2' failed
          order   2 synchronisation events of 1 thread:

            T0
            ●     T0.1  pthread_mutex_lock(q.lock)    loop.c:12
            ●     T0.2  pthread_mutex_unlock(q.lock)  loop.c:14

        Schedule 3 of 3  eb0f8d08e055
          inputs  n > 2
          ends    cut off by a limit
          order   0 synchronisation events of 0 threads

        Possible memory errors
          loop.c:13: write of 4 bytes behind the end of `buf` (16 bytes), if n > 4

        This holds if there are no data races and the number of live threads is bounded.
        0.06 s, 2 paths, 31002 instructions, 40 solver queries (0.01 s), peak 48 MiB
    "#]]
    .assert_eq(&text(&common::incomplete()));
}

#[test]
fn inputs_that_end_the_process_early() {
    let mut result = common::early_exits();
    expect![[r#"
        size.bc: 1 epoch, 2 schedules; complete for runs held to them: every input can follow one of them

        Schedule 1 of 2  04d5753bf467
          inputs  1 <= atoi(argv[1]) && atoi(argv[1]) <= 8
          ends    the program exits with status 0
          order   1 synchronisation event of 1 thread:

            T0
            ●     T0.1  pthread_mutex_lock(m)  size.c:9

        Schedule 2 of 2  7034fe838249
          inputs  9 <= atoi(argv[1]) && atoi(argv[1]) <= 64
          ends    the program exits with status 0
          order   1 synchronisation event of 1 thread:

            T0
            ●     T0.1  pthread_mutex_lock(n)  size.c:11

        Other inputs end the process on the way, as a prefix of a schedule: atoi(argv[1]) < 1 || 64 < atoi(argv[1])

        This holds if there are no data races and the number of live threads is bounded.
        0.06 s, 2 paths, 31002 instructions, 40 solver queries (0.01 s), peak 48 MiB
    "#]]
    .assert_eq(&text(&result));

    let one = View::select(&result, None, Some("2")).expect("found");
    let one = render(&one, TextOptions::default());
    assert!(!one.contains("Other inputs"), "some of the others follow the schedule that is not shown: {one}");

    let long = ["n == 12"; 100].join(" || ");
    result.epochs[0].early_exits = Some(icsched_schedule::InputConstraint::text(&long));
    let short = text(&result);
    let line = short.lines().find(|line| line.starts_with("Other inputs")).expect("a line");
    assert!(line.ends_with(" ...") && line.len() < 300, "{line}");
    let options = TextOptions { full: true, ..TextOptions::default() };
    assert!(render(&View::whole(&result), options).contains(&long));
}

#[test]
fn many_threads_and_many_rows() {
    expect![[r#"
        long.bc: 1 epoch, 1 schedule; complete for runs held to it: every input can follow it

        Schedule 1 of 1  0ef9d590928c
          inputs  every input
          ends    the program exits with status 0
          order   224 synchronisation events of 33 threads:

                                1 1 1 1 1 1 1 1 1 1 2 2 2 2 2 2 2 2 2 2 3 3 3
            0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2
            ●                                                                   T0.1   pthread_create(T1) ... (T32), 32 times  long.c:5
            ├─●                                                                 T1.1   pthread_mutex_lock(m)                   long.c:8   after T0.1
            │ ●                                                                 T1.2   pthread_mutex_unlock(m)                 long.c:9
            ├─┼─●                                                               T2.1   pthread_mutex_lock(m)                   long.c:8   after T0.2 and T1.2
            │ │ ●                                                               T2.2   pthread_mutex_unlock(m)                 long.c:9
            ├─│─┼─●                                                             T3.1   pthread_mutex_lock(m)                   long.c:8   after T0.3 and T2.2
            │ │ │ ●                                                             T3.2   pthread_mutex_unlock(m)                 long.c:9
            ├─│─│─┼─●                                                           T4.1   pthread_mutex_lock(m)                   long.c:8   after T0.4 and T3.2
            │ │ │ │ ●                                                           T4.2   pthread_mutex_unlock(m)                 long.c:9
            ├─│─│─│─┼─●                                                         T5.1   pthread_mutex_lock(m)                   long.c:8   after T0.5 and T4.2
            │ │ │ │ │ ●                                                         T5.2   pthread_mutex_unlock(m)                 long.c:9
            ├─│─│─│─│─┼─●                                                       T6.1   pthread_mutex_lock(m)                   long.c:8   after T0.6 and T5.2
            │ │ │ │ │ │ ●                                                       T6.2   pthread_mutex_unlock(m)                 long.c:9
            ├─│─│─│─│─│─┼─●                                                     T7.1   pthread_mutex_lock(m)                   long.c:8   after T0.7 and T6.2
            │ │ │ │ │ │ │ ●                                                     T7.2   pthread_mutex_unlock(m)                 long.c:9
            ├─│─│─│─│─│─│─┼─●                                                   T8.1   pthread_mutex_lock(m)                   long.c:8   after T0.8 and T7.2
            │ │ │ │ │ │ │ │ ●                                                   T8.2   pthread_mutex_unlock(m)                 long.c:9
            ├─│─│─│─│─│─│─│─┼─●                                                 T9.1   pthread_mutex_lock(m)                   long.c:8   after T0.9 and T8.2
            │ │ │ │ │ │ │ │ │ ●                                                 T9.2   pthread_mutex_unlock(m)                 long.c:9
            ├─│─│─│─│─│─│─│─│─┼─●                                               T10.1  pthread_mutex_lock(m)                   long.c:8   after T0.10 and T9.2
            │ │ │ │ │ │ │ │ │ │ ●                                               T10.2  pthread_mutex_unlock(m)                 long.c:9
            ├─│─│─│─│─│─│─│─│─│─┼─●                                             T11.1  pthread_mutex_lock(m)                   long.c:8   after T0.11 and T10.2
            │ │ │ │ │ │ │ │ │ │ │ ●                                             T11.2  pthread_mutex_unlock(m)                 long.c:9
            ├─│─│─│─│─│─│─│─│─│─│─┼─●                                           T12.1  pthread_mutex_lock(m)                   long.c:8   after T0.12 and T11.2
            │ │ │ │ │ │ │ │ │ │ │ │ ●                                           T12.2  pthread_mutex_unlock(m)                 long.c:9
            ├─│─│─│─│─│─│─│─│─│─│─│─┼─●                                         T13.1  pthread_mutex_lock(m)                   long.c:8   after T0.13 and T12.2
            │ │ │ │ │ │ │ │ │ │ │ │ │ ●                                         T13.2  pthread_mutex_unlock(m)                 long.c:9
            ├─│─│─│─│─│─│─│─│─│─│─│─│─┼─●                                       T14.1  pthread_mutex_lock(m)                   long.c:8   after T0.14 and T13.2
            │ │ │ │ │ │ │ │ │ │ │ │ │ │ ●                                       T14.2  pthread_mutex_unlock(m)                 long.c:9
            ├─│─│─│─│─│─│─│─│─│─│─│─│─│─┼─●                                     T15.1  pthread_mutex_lock(m)                   long.c:8   after T0.15 and T14.2
            │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ ●                                     T15.2  pthread_mutex_unlock(m)                 long.c:9
            ├─│─│─│─│─│─│─│─│─│─│─│─│─│─│─┼─●                                   T16.1  pthread_mutex_lock(m)                   long.c:8   after T0.16 and T15.2
            │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ ●                                   T16.2  pthread_mutex_unlock(m)                 long.c:9
            ├─│─│─│─│─│─│─│─│─│─│─│─│─│─│─│─┼─●                                 T17.1  pthread_mutex_lock(m)                   long.c:8   after T0.17 and T16.2
            │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ ●                                 T17.2  pthread_mutex_unlock(m)                 long.c:9
            ├─│─│─│─│─│─│─│─│─│─│─│─│─│─│─│─│─┼─●                               T18.1  pthread_mutex_lock(m)                   long.c:8   after T0.18 and T17.2
            ┆ ┆ ┆ ┆ ┆ ┆ ┆ ┆ ┆ ┆ ┆ ┆ ┆ ┆ ┆ ┆ ┆ ┆ ┆ ┆ ┆ ┆ ┆ ┆ ┆ ┆ ┆ ┆ ┆ ┆ ┆ ┆ ┆   ... 114 events not shown
            │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ ● │ │ │   T29.4  pthread_mutex_unlock(m)                 long.c:9
            │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ ● │ │ │   T29.5  exit of thread(T29)                     long.c:12
            │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ ├─● │ │   T30.3  pthread_mutex_lock(m)                   long.c:8   after T29.4
            │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ ● │ │   T30.4  pthread_mutex_unlock(m)                 long.c:9
            │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ ● │ │   T30.5  exit of thread(T30)                     long.c:12
            │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ ├─● │   T31.3  pthread_mutex_lock(m)                   long.c:8   after T30.4
            │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ ● │   T31.4  pthread_mutex_unlock(m)                 long.c:9
            │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ ● │   T31.5  exit of thread(T31)                     long.c:12
            │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ ├─●   T32.3  pthread_mutex_lock(m)                   long.c:8   after T31.4
            │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ ●   T32.4  pthread_mutex_unlock(m)                 long.c:9
            │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ ●   T32.5  exit of thread(T32)                     long.c:12
            ●─┴─┴─┴─┴─┴─┴─┴─┴─┴─┴─┴─┴─┴─┴─┴─┴─┴─┴─┴─┴─┴─┴─┴─┴─┴─┴─┴─┴─┴─┴─┴─┘   T0.33  pthread_join(T1) ... (T32), 32 times    long.c:15  after T1.5, T2.5, T3.5, T4.5 and 28 more

        This holds if there are no data races and the number of live threads is bounded.
        0.06 s, 2 paths, 31002 instructions, 40 solver queries (0.01 s), peak 48 MiB
    "#]].assert_eq(&text(&common::long(32, 2)));
}

#[test]
fn full_shows_every_row() {
    let long = common::long(4, 40);
    let nodes = long.epochs[0].tree.parts()[0].1.graph.nodes().len();
    let options = TextOptions { full: true, ..TextOptions::default() };
    let full = render(&View::whole(&long), options);
    assert_eq!(full.lines().filter(|line| line.contains('●')).count(), nodes);
    assert!(full.contains("after T") && !full.contains("not shown"));
    assert!(text(&long).contains(" events not shown"));
    let repeated = text(&common::long(32, 1));
    assert!(repeated.contains("pthread_create(T1) ... (T32), 32 times"), "{repeated}");
}

#[test]
fn colours_only_where_asked_for() {
    for enumeration in [common::figure_3_1(2), common::deadlock(), common::incomplete()] {
        let view = View::whole(&enumeration);
        let plain = render(&view, TextOptions::default());
        let options = TextOptions { painter: Painter { color: true }, ..TextOptions::default() };
        let colored = render(&view, options);
        assert!(!plain.contains('\u{1b}') && colored.contains('\u{1b}'));
        let stripped = colored.split('\u{1b}').enumerate().map(|(i, part)| match i {
            0 => part,
            _ => part.split_once('m').expect("a colour sequence ends with m").1,
        });
        assert_eq!(stripped.collect::<String>(), plain);
    }
}

#[test]
fn many_schedules_are_listed_and_not_drawn() {
    let mut schedules = Vec::new();
    for i in 0..150 {
        let mut script = common::Script::new("many.c");
        script.event(0, "sem_post", "s", i);
        let ends = icsched_schedule::ScheduleEnd::Exit { status: Some(0) };
        schedules.push(script.schedule(&format!("n == {i}"), ends));
    }
    let text = text(&common::enumeration("many.bc", schedules, 1));
    assert_eq!(text.matches("Schedule ").count(), 100);
    assert_eq!(text.matches('●').count(), 3);
    assert!(text.contains("\n  ... and 50 more schedules; --full lists them all\n"));
}
