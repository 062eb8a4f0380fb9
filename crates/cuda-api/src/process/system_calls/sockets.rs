//! Sockets, and queues of messages.

use super::{Int, Long, Pointer, system_calls};

/// Bytes of what is passed.
const TIME: usize = 16;
const QUEUE_ATTRIBUTES: usize = 64;
const OPERATION: usize = 6;
/// What `msgctl`, `semctl` and `shmctl` are told about is no longer.
const DESCRIPTION: usize = 120;

system_calls! {
    recv(socket: Int, to: Pointer, bytes: usize, flags: Int) -> Long { writes(to, bytes) }
    __recv_chk(socket: Int, to: Pointer, bytes: usize, room: usize, flags: Int) -> Long { writes(to, bytes) }
    recvfrom(socket: Int, to: Pointer, bytes: usize, flags: Int, who: Pointer, length: Pointer) -> Long {
        writes(to, bytes), writes_counted(who, length)
    }
    __recvfrom_chk(socket: Int, to: Pointer, bytes: usize, room: usize, flags: Int, who: Pointer, length: Pointer)
        -> Long { writes(to, bytes), writes_counted(who, length) }
    recvmsg(socket: Int, message: Pointer, flags: Int) -> Long { message(message, true) }
    recvmmsg(socket: Int, messages: Pointer, count: Int, flags: Int, time: Pointer) -> Int {
        messages(messages, count as usize, true), writes(time, TIME)
    }
    send(socket: Int, from: Pointer, bytes: usize, flags: Int) -> Long { reads(from, bytes) }
    sendto(socket: Int, from: Pointer, bytes: usize, flags: Int, who: Pointer, length: Int) -> Long {
        reads(from, bytes), reads(who, length as usize)
    }
    sendmsg(socket: Int, message: Pointer, flags: Int) -> Long { message(message, false) }
    sendmmsg(socket: Int, messages: Pointer, count: Int, flags: Int) -> Int {
        messages(messages, count as usize, false)
    }
    accept(socket: Int, who: Pointer, length: Pointer) -> Int { writes_counted(who, length) }
    accept4(socket: Int, who: Pointer, length: Pointer, flags: Int) -> Int { writes_counted(who, length) }
    getsockname(socket: Int, who: Pointer, length: Pointer) -> Int { writes_counted(who, length) }
    getpeername(socket: Int, who: Pointer, length: Pointer) -> Int { writes_counted(who, length) }
    bind(socket: Int, who: Pointer, length: Int) -> Int { reads(who, length as usize) }
    connect(socket: Int, who: Pointer, length: Int) -> Int { reads(who, length as usize) }
    getsockopt(socket: Int, level: Int, name: Int, value: Pointer, length: Pointer) -> Int {
        writes_counted(value, length)
    }
    setsockopt(socket: Int, level: Int, name: Int, value: Pointer, length: Int) -> Int {
        reads(value, length as usize)
    }
    socketpair(domain: Int, kind: Int, protocol: Int, both: Pointer) -> Int { writes(both, 8) }

    mq_send(queue: Int, from: Pointer, bytes: usize, priority: Int) -> Int { reads(from, bytes) }
    mq_timedsend(queue: Int, from: Pointer, bytes: usize, priority: Int, time: Pointer) -> Int {
        reads(from, bytes), reads(time, TIME)
    }
    mq_receive(queue: Int, to: Pointer, bytes: usize, priority: Pointer) -> Long {
        writes(to, bytes), writes(priority, 4)
    }
    mq_timedreceive(queue: Int, to: Pointer, bytes: usize, priority: Pointer, time: Pointer) -> Long {
        writes(to, bytes), writes(priority, 4), reads(time, TIME)
    }
    mq_getattr(queue: Int, to: Pointer) -> Int { writes(to, QUEUE_ATTRIBUTES) }
    mq_setattr(queue: Int, from: Pointer, old: Pointer) -> Int {
        reads(from, QUEUE_ATTRIBUTES), writes(old, QUEUE_ATTRIBUTES)
    }
    msgsnd(queue: Int, message: Pointer, bytes: usize, flags: Int) -> Int { reads(message, bytes.saturating_add(8)) }
    msgrcv(queue: Int, message: Pointer, bytes: usize, kind: Long, flags: Int) -> Long {
        writes(message, bytes.saturating_add(8))
    }
    msgctl(queue: Int, command: Int, argument: Pointer) -> Int { writes(argument, DESCRIPTION) }
    semop(set: Int, operations: Pointer, count: usize) -> Int { reads_list(operations, count, OPERATION) }
    semtimedop(set: Int, operations: Pointer, count: usize, time: Pointer) -> Int {
        reads_list(operations, count, OPERATION), reads(time, TIME)
    }
    semctl(set: Int, number: Int, command: Int, argument: Pointer) -> Int { semaphore_request(command, argument) }
    shmctl(memory: Int, command: Int, argument: Pointer) -> Int { writes(argument, DESCRIPTION) }
}
