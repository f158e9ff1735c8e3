//! What every program brings along: allocation wrappers, lists, hash tables, vectors, byte buffers.
//!
//! The containers hold `void` pointers and are called from everywhere, so what one caller puts in, every caller may
//! get out: this is where the large points-to sets of real programs come from.

use icsched_ir::{BinOp, Callee, FuncId, IntPredicate, Type};

use super::code::{Code, null, word};
use super::world::{Kind, Member, Pointee, World};

/// The C library and the allocation wrappers; one for the whole program.
#[derive(Clone, Copy)]
pub(super) struct Base {
    /// `void *allocate(size_t)`: zeroed, never null.
    pub(super) allocate: FuncId,
    resize: FuncId,
    /// `void release(void *)`.
    pub(super) release: FuncId,
    /// `char *duplicate(const char *)`.
    pub(super) duplicate: FuncId,
    compare: FuncId,
    length: FuncId,
}

impl Base {
    pub(super) fn write(world: &mut World) -> Self {
        let malloc = world.routine("malloc".into(), &[Kind::Word], Some(Kind::ANY));
        let realloc = world.routine("realloc".into(), &[Kind::ANY, Kind::Word], Some(Kind::ANY));
        let free = world.routine("free".into(), &[Kind::ANY], None);
        let length = world.routine("strlen".into(), &[Kind::BYTES], Some(Kind::Word));
        let compare = world.routine("strcmp".into(), &[Kind::BYTES, Kind::BYTES], Some(Kind::Word));
        let abort = world.routine("abort".into(), &[], None);

        let allocate = world.routine("allocate".into(), &[Kind::Word], Some(Kind::ANY));
        let mut code = world.open(allocate);
        let size = code.param(0);
        let memory = code.call_for(Type::Ptr, Callee::Direct(malloc), vec![size]);
        unless_null(&mut code, memory, abort);
        code.clear(memory, size);
        code.give(&[memory]);
        world.close(allocate, code);

        let resize = world.routine("resize".into(), &[Kind::ANY, Kind::Word], Some(Kind::ANY));
        let mut code = world.open(resize);
        let args = vec![code.param(0), code.param(1)];
        let memory = code.call_for(Type::Ptr, Callee::Direct(realloc), args);
        unless_null(&mut code, memory, abort);
        code.give(&[memory]);
        world.close(resize, code);

        let release = world.routine("release".into(), &[Kind::ANY], None);
        let mut code = world.open(release);
        let memory = code.param(0);
        code.call(free, vec![memory]);
        code.give(&[]);
        world.close(release, code);

        let duplicate = world.routine("duplicate".into(), &[Kind::BYTES], Some(Kind::BYTES));
        let mut code = world.open(duplicate);
        let text = code.param(0);
        let bytes = code.call_for(Type::Int(64), Callee::Direct(length), vec![text]);
        let bytes = code.binary(BinOp::Add, bytes, word(1));
        let memory = code.call_for(Type::Ptr, Callee::Direct(allocate), vec![bytes]);
        code.copy(memory, text, bytes);
        code.give(&[memory]);
        world.close(duplicate, code);
        Self { allocate, resize, release, duplicate, compare, length }
    }
}

fn unless_null(code: &mut Code, memory: icsched_ir::Operand, abort: FuncId) {
    let missing = code.compare(IntPredicate::Eq, memory, null());
    let (bad, good) = (code.block(&[]), code.block(&[]));
    code.branch(missing, (bad, &[]), (good, &[]));
    code.start(bad);
    code.call(abort, Vec::new());
    code.start(good);
}

/// One library of containers.
#[derive(Clone, Copy)]
pub(super) struct Containers {
    /// `struct node { node *next, *previous; void *item; }`.
    pub(super) node: usize,
    /// `struct list { node *first, *last; size_t count; }`.
    pub(super) list: usize,
    /// `struct table { entry **buckets; size_t size, count; }`.
    pub(super) table: usize,
    /// `struct vector { void **items; size_t count, capacity; }`.
    pub(super) vector: usize,
    /// `struct buffer { char *data; size_t length, capacity; }`.
    pub(super) buffer: usize,
    /// `list_push(list *, void *)`, `table_insert(table *, char *, void *)` and the like.
    pub(super) stores: [FuncId; 3],
    /// `void *list_pop(list *)`, `void *table_find(table *, char *)`, `void *vector_at(vector *, size_t)`.
    pub(super) finds: [FuncId; 3],
    /// `void list_each(list *, visitor, void *)`.
    pub(super) each: FuncId,
    /// `void buffer_append(buffer *, const char *)`.
    pub(super) append: FuncId,
}

const NEXT: u64 = 0;
const PREVIOUS: u64 = 8;
const ITEM: u64 = 16;
const COUNT: u64 = 16;

impl Containers {
    pub(super) fn write(world: &mut World, base: Base, number: usize) -> Self {
        let node = world.records.len();
        let to = |record| Member::Pointer(Pointee::Record(record));
        world.record(&[to(node), to(node), Member::Pointer(Pointee::Any)]);
        let list = world.record(&[to(node), to(node), Member::Word]);
        let entry = world.records.len();
        let (any, bytes) = (Member::Pointer(Pointee::Any), Member::Pointer(Pointee::Bytes));
        world.record(&[to(entry), bytes, any]);
        let table = world.record(&[any, Member::Word, Member::Word]);
        let vector = world.record(&[any, Member::Word, Member::Word]);
        let buffer = world.record(&[bytes, Member::Word, Member::Word]);
        let mut declare = |what: &str, params: &[Kind], result: Option<Kind>| {
            world.routine(format!("{what}_{number}"), params, result)
        };
        let list_kind = Kind::record(list);
        let push = declare("list_push", &[list_kind, Kind::ANY], None);
        let pop = declare("list_pop", &[list_kind], Some(Kind::ANY));
        let each = declare("list_each", &[list_kind, Kind::Pointer(Pointee::Visitor), Kind::ANY], None);
        let hash = declare("table_bucket", &[Kind::record(table), Kind::BYTES], Some(Kind::ANY));
        let grow = declare("table_grow", &[Kind::record(table)], None);
        let insert = declare("table_insert", &[Kind::record(table), Kind::BYTES, Kind::ANY], None);
        let find = declare("table_find", &[Kind::record(table), Kind::BYTES], Some(Kind::ANY));
        let append_item = declare("vector_push", &[Kind::record(vector), Kind::ANY], None);
        let at = declare("vector_at", &[Kind::record(vector), Kind::Word], Some(Kind::ANY));
        let append = declare("buffer_append", &[Kind::record(buffer), Kind::BYTES], None);

        write_push(world, push, base, world.records[node].size);
        write_pop(world, pop, base);
        write_each(world, each);
        write_bucket(world, hash, base);
        write_grow(world, grow, hash, base);
        write_insert(world, insert, (hash, grow), base);
        write_find(world, find, hash, base);
        write_vector(world, append_item, at, base);
        write_append(world, append, base);
        Self {
            node,
            list,
            table,
            vector,
            buffer,
            stores: [push, insert, append_item],
            finds: [pop, find, at],
            each,
            append,
        }
    }
}

fn write_push(world: &mut World, id: FuncId, base: Base, size: u64) {
    let mut code = world.open(id);
    let (list, item) = (code.param(0), code.param(1));
    let node = code.call_for(Type::Ptr, Callee::Direct(base.allocate), vec![word(size)]);
    code.store_field(node, ITEM, item);
    let last = code.load_field(list, PREVIOUS);
    code.store_field(node, PREVIOUS, last);
    let empty = code.compare(IntPredicate::Eq, last, null());
    let (first, later, end) = (code.block(&[]), code.block(&[]), code.block(&[]));
    code.branch(empty, (first, &[]), (later, &[]));
    code.start(first);
    code.store_field(list, NEXT, node);
    code.jump(end, &[]);
    code.start(later);
    code.store_field(last, NEXT, node);
    code.jump(end, &[]);
    code.start(end);
    code.store_field(list, PREVIOUS, node);
    let count = code.load_word(list, COUNT);
    let count = code.binary(BinOp::Add, count, word(1));
    code.store_field(list, COUNT, count);
    code.give(&[]);
    world.close(id, code);
}

fn write_pop(world: &mut World, id: FuncId, base: Base) {
    let mut code = world.open(id);
    let list = code.param(0);
    let node = code.load_field(list, NEXT);
    let empty = code.compare(IntPredicate::Eq, node, null());
    let (none, some) = (code.block(&[]), code.block(&[]));
    code.branch(empty, (none, &[]), (some, &[]));
    code.start(none);
    code.give(&[null()]);
    code.start(some);
    let next = code.load_field(node, NEXT);
    code.store_field(list, NEXT, next);
    let item = code.load_field(node, ITEM);
    code.call(base.release, vec![node]);
    code.give(&[item]);
    world.close(id, code);
}

/// Starts `for (n = first; n; n = n->next)`: the node, and the blocks of the loop's head and end.
pub(super) fn walk(code: &mut Code, first: icsched_ir::Operand) -> (icsched_ir::Operand, [icsched_ir::BlockId; 2]) {
    let (head, body, end) = (code.block(&[Type::Ptr]), code.block(&[]), code.block(&[]));
    code.jump(head, &[first]);
    let node = code.start(head)[0];
    let done = code.compare(IntPredicate::Eq, node, null());
    code.branch(done, (end, &[]), (body, &[]));
    code.start(body);
    (node, [head, end])
}

fn write_each(world: &mut World, id: FuncId) {
    let mut code = world.open(id);
    let (list, visitor, data) = (code.param(0), code.param(1), code.param(2));
    let first = code.load_field(list, NEXT);
    let (node, [head, end]) = walk(&mut code, first);
    let item = code.load_field(node, ITEM);
    code.call_for(Type::Ptr, Callee::Indirect(visitor), vec![item, data]);
    let next = code.load_field(node, NEXT);
    code.jump(head, &[next]);
    code.start(end);
    code.give(&[]);
    world.close(id, code);
}

fn write_bucket(world: &mut World, id: FuncId, base: Base) {
    let mut code = world.open(id);
    let (table, key) = (code.param(0), code.param(1));
    let hash = code.call_for(Type::Int(64), Callee::Direct(base.length), vec![key]);
    let size = code.load_word(table, 8);
    let index = code.binary(BinOp::URem, hash, size);
    let buckets = code.load_field(table, 0);
    let bucket = code.element(buckets, index, 8);
    code.give(&[bucket]);
    world.close(id, code);
}

fn write_grow(world: &mut World, id: FuncId, bucket: FuncId, base: Base) {
    let mut code = world.open(id);
    let table = code.param(0);
    let (old, size) = (code.load_field(table, 0), code.load_word(table, 8));
    let larger = code.binary(BinOp::Add, size, size);
    let larger = code.binary(BinOp::Or, larger, word(16));
    let bytes = code.binary(BinOp::Mul, larger, word(8));
    let fresh = code.call_for(Type::Ptr, Callee::Direct(base.allocate), vec![bytes]);
    code.store_field(table, 0, fresh);
    code.store_field(table, 8, larger);
    let (outer, row, out) = (code.block(&[Type::Int(64)]), code.block(&[]), code.block(&[]));
    code.jump(outer, &[word(0)]);
    let i = code.start(outer)[0];
    let more = code.compare(IntPredicate::Ult, i, size);
    code.branch(more, (row, &[]), (out, &[]));
    code.start(row);
    let place = code.element(old, i, 8);
    let first = code.load(Type::Ptr, place);
    let (entry, [head, end]) = walk(&mut code, first);
    let next = code.load_field(entry, NEXT);
    let key = code.load_field(entry, 8);
    let target = code.call_for(Type::Ptr, Callee::Direct(bucket), vec![table, key]);
    let chain = code.load(Type::Ptr, target);
    code.store_field(entry, NEXT, chain);
    code.store(target, entry);
    code.jump(head, &[next]);
    code.start(end);
    let i = code.binary(BinOp::Add, i, word(1));
    code.jump(outer, &[i]);
    code.start(out);
    code.call(base.release, vec![old]);
    code.give(&[]);
    world.close(id, code);
}

fn write_insert(world: &mut World, id: FuncId, (bucket, grow): (FuncId, FuncId), base: Base) {
    let mut code = world.open(id);
    let (table, key, value) = (code.param(0), code.param(1), code.param(2));
    let (count, size) = (code.load_word(table, COUNT), code.load_word(table, 8));
    let full = code.compare(IntPredicate::Uge, count, size);
    let (larger, place) = (code.block(&[]), code.block(&[]));
    code.branch(full, (larger, &[]), (place, &[]));
    code.start(larger);
    code.call(grow, vec![table]);
    code.jump(place, &[]);
    code.start(place);
    let entry = code.call_for(Type::Ptr, Callee::Direct(base.allocate), vec![word(24)]);
    let own_key = code.call_for(Type::Ptr, Callee::Direct(base.duplicate), vec![key]);
    code.store_field(entry, 8, own_key);
    code.store_field(entry, ITEM, value);
    let target = code.call_for(Type::Ptr, Callee::Direct(bucket), vec![table, key]);
    let chain = code.load(Type::Ptr, target);
    code.store_field(entry, NEXT, chain);
    code.store(target, entry);
    code.give(&[]);
    world.close(id, code);
}

fn write_find(world: &mut World, id: FuncId, bucket: FuncId, base: Base) {
    let mut code = world.open(id);
    let (table, key) = (code.param(0), code.param(1));
    let place = code.call_for(Type::Ptr, Callee::Direct(bucket), vec![table, key]);
    let first = code.load(Type::Ptr, place);
    let (entry, [head, end]) = walk(&mut code, first);
    let here = code.load_field(entry, 8);
    let order = code.call_for(Type::Int(64), Callee::Direct(base.compare), vec![here, key]);
    let same = code.compare(IntPredicate::Eq, order, word(0));
    let (found, on) = (code.block(&[]), code.block(&[]));
    code.branch(same, (found, &[]), (on, &[]));
    code.start(found);
    let value = code.load_field(entry, ITEM);
    code.give(&[value]);
    code.start(on);
    let next = code.load_field(entry, NEXT);
    code.jump(head, &[next]);
    code.start(end);
    code.give(&[null()]);
    world.close(id, code);
}

fn write_vector(world: &mut World, push: FuncId, at: FuncId, base: Base) {
    let mut code = world.open(push);
    let (vector, item) = (code.param(0), code.param(1));
    let (count, capacity) = (code.load_word(vector, 8), code.load_word(vector, 16));
    let full = code.compare(IntPredicate::Uge, count, capacity);
    let (larger, place) = (code.block(&[]), code.block(&[]));
    code.branch(full, (larger, &[]), (place, &[]));
    code.start(larger);
    let items = code.load_field(vector, 0);
    let capacity = code.binary(BinOp::Add, capacity, word(16));
    let bytes = code.binary(BinOp::Mul, capacity, word(8));
    let items = code.call_for(Type::Ptr, Callee::Direct(base.resize), vec![items, bytes]);
    code.store_field(vector, 0, items);
    code.store_field(vector, 16, capacity);
    code.jump(place, &[]);
    code.start(place);
    let items = code.load_field(vector, 0);
    let target = code.element(items, count, 8);
    code.store(target, item);
    let count = code.binary(BinOp::Add, count, word(1));
    code.store_field(vector, 8, count);
    code.give(&[]);
    world.close(push, code);

    let mut code = world.open(at);
    let (vector, index) = (code.param(0), code.param(1));
    let items = code.load_field(vector, 0);
    let place = code.element(items, index, 8);
    let item = code.load(Type::Ptr, place);
    code.give(&[item]);
    world.close(at, code);
}

fn write_append(world: &mut World, id: FuncId, base: Base) {
    let mut code = world.open(id);
    let (buffer, text) = (code.param(0), code.param(1));
    let bytes = code.call_for(Type::Int(64), Callee::Direct(base.length), vec![text]);
    let (data, length) = (code.load_field(buffer, 0), code.load_word(buffer, 8));
    let total = code.binary(BinOp::Add, length, bytes);
    let data = code.call_for(Type::Ptr, Callee::Direct(base.resize), vec![data, total]);
    code.store_field(buffer, 0, data);
    let end = code.element(data, length, 1);
    code.copy(end, text, bytes);
    code.store_field(buffer, 8, total);
    code.give(&[]);
    world.close(id, code);
}
