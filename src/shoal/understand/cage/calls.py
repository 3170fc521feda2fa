"""Which system calls are there, and under which numbers? Those that the cage names, per machine."""

_NUMBERS = """
read 0 63, write 1 64, readv 19 65, writev 20 66, pread64 17 67, pwrite64 18 68, lseek 8 62,
close 3 57, fstat 5 80, newfstatat 262 79, statx 332 291, stat 4 -, lstat 6 -, access 21 -,
faccessat 269 48, faccessat2 439 439, open 2 -, openat 257 56, readlink 89 -, readlinkat 267 78,
getdents64 217 61, getcwd 79 17, fcntl 72 25, dup 32 23, dup2 33 -, dup3 292 24, ioctl 16 29,
mmap 9 222, munmap 11 215, mprotect 10 226, mremap 25 216, madvise 28 233, brk 12 214,
msync 26 227, futex 202 98, set_robust_list 273 99, rseq 334 293, clone 56 220, clone3 435 435,
exit 60 93, exit_group 231 94, rt_sigaction 13 134, rt_sigprocmask 14 135, rt_sigreturn 15 139,
sigaltstack 131 132, getpid 39 172, gettid 186 178, getppid 110 173, getuid 102 174,
geteuid 107 175, getgid 104 176, getegid 108 177, getresuid 118 148, getresgid 120 150,
getrandom 318 278, clock_gettime 228 113, clock_getres 229 114, gettimeofday 96 169, time 201 -,
times 100 153, clock_nanosleep 230 115, nanosleep 35 101, sched_yield 24 124,
sched_getaffinity 204 123, getrusage 98 165, uname 63 160, sysinfo 99 179, getrlimit 97 163,
prlimit64 302 261, poll 7 -, ppoll 271 73, select 23 -, pselect6 270 72, pipe2 293 59,
memfd_create 319 279, recvfrom 45 207, recvmsg 47 212, sendto 44 206, sendmsg 46 211,
shutdown 48 210, getsockname 51 204, getpeername 52 205, getsockopt 55 209, ftruncate 77 46,
fallocate 285 47, fsync 74 82, fdatasync 75 83, fadvise64 221 223, mkdir 83 -, mkdirat 258 34,
unlink 87 -, unlinkat 263 35, rmdir 84 -, umask 95 166, kill 62 129, tgkill 234 131,
prctl 157 167, membarrier 324 283, setitimer 38 103, restart_syscall 219 128, socket 41 198,
connect 42 203, ptrace 101 117, process_vm_readv 310 270, process_vm_writev 311 271,
io_uring_setup 425 425, io_uring_enter 426 426, io_uring_register 427 427, chown 92 -,
lchown 94 -, fchown 93 55, fchownat 260 54, setxattr 188 5, lsetxattr 189 6, fsetxattr 190 7,
removexattr 197 14, lremovexattr 198 15, fremovexattr 199 16, mount 165 40, umount2 166 39,
pivot_root 155 41, chroot 161 51, unshare 272 97, setns 308 268, bpf 321 280,
perf_event_open 298 241, userfaultfd 323 282, keyctl 250 219, add_key 248 217,
request_key 249 218, kexec_load 246 104, kexec_file_load 320 294, init_module 175 105,
finit_module 313 273, delete_module 176 106, open_by_handle_at 304 265, name_to_handle_at 303 264,
process_madvise 440 440, pidfd_open 434 434, pidfd_getfd 438 438, pidfd_send_signal 424 424,
personality 135 92, kcmp 312 272, swapon 167 224, swapoff 168 225, reboot 169 142,
settimeofday 164 170, clock_settime 227 112, clock_adjtime 305 266, adjtimex 159 171, acct 163 89,
quotactl 179 60, syslog 103 116, iopl 172 -, ioperm 173 -, modify_ldt 154 -, move_mount 429 429,
open_tree 428 428, fsopen 430 430, fsconfig 431 431, fsmount 432 432, fspick 433 433,
mount_setattr 442 442, mknod 133 -, mknodat 259 33, vmsplice 278 75, move_pages 279 239,
migrate_pages 256 238, fanotify_init 300 262, sethostname 170 161, setdomainname 171 162,
capset 126 91, seccomp 317 277, sendmmsg 307 269, execve 59 221, execveat 322 281
"""
"""The name, the number on x86-64, and on ARM64; `-` where there is no such call."""

NEWEST = 462
"""`mseal`: calls with higher numbers did not exist when this was written."""


def numbers(machine: str) -> dict[str, int]:
    column = {"x86_64": 1, "aarch64": 2}[machine]
    rows = [each.split() for each in _NUMBERS.split(",")]
    return {row[0]: int(row[column]) for row in rows if row[column] != "-"}


_FREE = """
read write futex mmap munmap openat close lseek newfstatat fstat brk mremap mprotect madvise
clock_gettime recvfrom sendto recvmsg sendmsg pread64 pwrite64 readv writev ppoll poll select
pselect6 stat lstat statx access faccessat faccessat2 open readlink readlinkat getdents64 getcwd
dup dup2 dup3 msync set_robust_list rseq exit exit_group rt_sigaction rt_sigprocmask rt_sigreturn
sigaltstack getpid gettid getppid getuid geteuid getgid getegid getresuid getresgid getrandom
clock_getres gettimeofday time times clock_nanosleep nanosleep sched_yield sched_getaffinity
getrusage uname sysinfo getrlimit pipe2 memfd_create shutdown getsockname getpeername getsockopt
ftruncate fallocate fsync fdatasync fadvise64 mkdir mkdirat unlink unlinkat rmdir umask membarrier
setitimer restart_syscall
"""
"""What a reader may call with any arguments: memory, time, files (which ones is for Landlock to
say) and the sockets that it was born with. There is no call here that makes a socket or a process,
and none that runs a program, looks into another process or changes a limit."""

_FORBIDDEN = """
connect sendmmsg ptrace process_vm_readv process_vm_writev process_madvise kcmp
io_uring_setup io_uring_enter io_uring_register pidfd_open pidfd_getfd pidfd_send_signal chown
lchown fchown fchownat setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr mount
umount2 pivot_root chroot unshare setns bpf perf_event_open userfaultfd keyctl add_key request_key
kexec_load kexec_file_load init_module finit_module delete_module open_by_handle_at
name_to_handle_at personality swapon swapoff reboot settimeofday clock_settime clock_adjtime
adjtimex acct quotactl syslog iopl ioperm modify_ldt move_mount open_tree fsopen fsconfig fsmount
fspick mount_setattr mknod mknodat vmsplice move_pages migrate_pages fanotify_init sethostname
setdomainname
"""
"""What a program of others may not call. It is a list of what is forbidden and not of what is
allowed: LibreOffice, tesseract and bsdtar come in hundreds of builds with libraries of their own,
and a call that one of them misses would end a conversion that works elsewhere."""

FREE, FORBIDDEN = tuple(_FREE.split()), tuple(_FORBIDDEN.split())
