//! Statements that move pointers and data, and those that synchronise.

use crate::soundness::expressions::{expression, index, place};
use crate::soundness::generate::{Context, Generator, Returns};
use crate::soundness::tree::Node;

impl Generator {
    pub(crate) fn pointer_statement(&mut self, out: &mut Vec<Node>) {
        let random = &mut self.random;
        let (to, other) = (place(random, &self.scope), place(random, &self.scope));
        let value = expression(random, &self.scope, 1);
        let element = index(random, &self.scope, 3);
        let pointer = self.pointer();
        let second = self.pointer();
        let lock = self.lock(0).1;
        let text = match self.random.below(21) {
            0 | 1 => format!("gp = {pointer};"),
            2 | 3 => format!("lp = {pointer};"),
            4 => format!("bp = &boxes[{element}];"),
            5 => "bp = hb;".to_owned(),
            6 => format!("copy(&gs, &boxes[{element}]);"),
            7 => format!("memcpy(la, arr, ({element}) * sizeof(int));"),
            8 => format!("memset(arr, {}, ({element}) * sizeof(int));", self.random.below(2)),
            9 => format!("ad = (long)({pointer});"),
            10 => format!("pp = ({value}) ? &gp : &boxes[{element}].p; if (!*pp) *pp = {pointer};"),
            11 => format!("*pp = {pointer};"),
            12 => format!("swap(&{to}, &{other});"),
            13 => format!("gs.in = make({value});"),
            14 => format!("*choose({value}, {pointer}, {second}) = {element};"),
            15 => format!("{to} = climb(({value}) & 3, {pointer});"),
            16 => format!("push({value});"),
            17 => format!("{to} = sum();"),
            18 => format!("u.b[{element}] = {value}; {to} = u.n & 255;"),
            19 => format!("((char *)({pointer}))[0] = {value};"),
            _ => format!("mp = ({value}) ? {lock} : &B;"),
        };
        out.push(Node::line(text));
    }

    pub(crate) fn synchronisation(&mut self, context: Context, out: &mut Vec<Node>) {
        if context.rank > 0 {
            return self.assignment(out);
        }
        self.current_synchronises = true;
        let value = expression(&mut self.random, &self.scope, 1);
        let to = place(&mut self.random, &self.scope);
        let lines: Vec<String> = match self.random.below(13) {
            0 => vec!["sem_post(&sem);".to_owned()],
            1 => vec![format!("{to} = sem_trywait(&sem) != 0;")],
            2 => vec![format!(
                "pthread_mutex_lock(&C); flag = {value}; pthread_cond_signal(&cv); pthread_mutex_unlock(&C);"
            )],
            3 => vec![
                "pthread_mutex_lock(&C); if (!flag) pthread_cond_broadcast(&cv); flag = 1; pthread_mutex_unlock(&C);"
                    .to_owned(),
            ],
            4 if context.returns == Returns::Pointer && self.random.chance(50) => {
                vec![
                    "pthread_mutex_lock(&C); while (!flag) pthread_cond_wait(&cv, &C); pthread_mutex_unlock(&C);"
                        .to_owned(),
                ]
            }
            5 => vec![format!("pthread_rwlock_rdlock(&rw); {to} = {value}; pthread_rwlock_unlock(&rw);")],
            6 => vec![format!("pthread_rwlock_wrlock(&rw); {to} = {value}; pthread_rwlock_unlock(&rw);")],
            8 => vec![format!("pthread_mutex_lock(mp); {to} = {value}; pthread_mutex_unlock(mp);")],
            9 => vec![format!(
                "pthread_mutex_lock(&R); if (pthread_mutex_lock(&R)) {to} = {value}; else pthread_mutex_unlock(&R); pthread_mutex_unlock(&R);"
            )],
            10 => vec![format!("sem_getvalue(&sem, &{to});")],
            11 if context.returns == Returns::Status => vec!["atexit(last);".to_owned()],
            7 => vec!["pthread_once(&once, first);".to_owned()],
            _ => vec![format!("__atomic_fetch_add(&g1, {value}, __ATOMIC_SEQ_CST);")],
        };
        out.extend(lines.into_iter().map(Node::Line));
    }
}
