#include "coroutine.h"

#include <stdint.h>
#include <string.h>

#include "subnormals.h"

/// Keeps what a function has to preserve on the present stack, writes its stack pointer to `*from`, and goes on where
/// `to` was written so. The flags of floating-point arithmetic stay as they are; how subnormal numbers are taken belongs to each side
/// (switch_stacks).
void strc_switch_stack(void **from, void *to) __attribute__((visibility("hidden")));
/// Where a new stack begins.
void strc_enter_stack(void) __attribute__((visibility("hidden")));

#if defined(__x86_64__)
__asm__(
    ".pushsection .text.strc_switch_stack,\"ax\",@progbits\n"
    ".hidden strc_switch_stack\n"
    ".globl strc_switch_stack\n"
    ".type strc_switch_stack,@function\n"
    "strc_switch_stack:\n"
    "    pushq %rbp\n"
    "    pushq %rbx\n"
    "    pushq %r12\n"
    "    pushq %r13\n"
    "    pushq %r14\n"
    "    pushq %r15\n"
    "    movq %rsp, (%rdi)\n"
    "    movq %rsi, %rsp\n"
    "    popq %r15\n"
    "    popq %r14\n"
    "    popq %r13\n"
    "    popq %r12\n"
    "    popq %rbx\n"
    "    popq %rbp\n"
    "    ret\n"
    ".size strc_switch_stack,.-strc_switch_stack\n"
    ".hidden strc_enter_stack\n"
    ".globl strc_enter_stack\n"
    ".type strc_enter_stack,@function\n"
    "strc_enter_stack:\n"
    "    .cfi_startproc\n"
    "    .cfi_undefined %rip\n"
    "    movq %r12, %rdi\n"
    "    callq *%r13\n"
    "    ud2\n"
    "    .cfi_endproc\n"
    ".size strc_enter_stack,.-strc_enter_stack\n"
    ".popsection\n");
/// r15, r14, r13, r12, rbx, rbp, then where to return to; the stack is aligned behind that.
enum { kFrame = 7, kFunction = 2, kArgument = 3, kReturn = 6 };
#elif defined(__aarch64__)
__asm__(
    ".pushsection .text.strc_switch_stack,\"ax\",@progbits\n"
    ".hidden strc_switch_stack\n"
    ".globl strc_switch_stack\n"
    ".type strc_switch_stack,@function\n"
    "strc_switch_stack:\n"
    "    sub sp, sp, #160\n"
    "    stp x19, x20, [sp]\n"
    "    stp x21, x22, [sp, #16]\n"
    "    stp x23, x24, [sp, #32]\n"
    "    stp x25, x26, [sp, #48]\n"
    "    stp x27, x28, [sp, #64]\n"
    "    stp x29, x30, [sp, #80]\n"
    "    stp d8, d9, [sp, #96]\n"
    "    stp d10, d11, [sp, #112]\n"
    "    stp d12, d13, [sp, #128]\n"
    "    stp d14, d15, [sp, #144]\n"
    "    mov x9, sp\n"
    "    str x9, [x0]\n"
    "    mov sp, x1\n"
    "    ldp x19, x20, [sp]\n"
    "    ldp x21, x22, [sp, #16]\n"
    "    ldp x23, x24, [sp, #32]\n"
    "    ldp x25, x26, [sp, #48]\n"
    "    ldp x27, x28, [sp, #64]\n"
    "    ldp x29, x30, [sp, #80]\n"
    "    ldp d8, d9, [sp, #96]\n"
    "    ldp d10, d11, [sp, #112]\n"
    "    ldp d12, d13, [sp, #128]\n"
    "    ldp d14, d15, [sp, #144]\n"
    "    add sp, sp, #160\n"
    "    ret\n"
    ".size strc_switch_stack,.-strc_switch_stack\n"
    ".hidden strc_enter_stack\n"
    ".globl strc_enter_stack\n"
    ".type strc_enter_stack,@function\n"
    "strc_enter_stack:\n"
    "    .cfi_startproc\n"
    "    .cfi_undefined x30\n"
    "    mov x0, x20\n"
    "    blr x19\n"
    "    brk #0\n"
    "    .cfi_endproc\n"
    ".size strc_enter_stack,.-strc_enter_stack\n"
    ".popsection\n");
/// x19 to x30, d8 to d15.
enum { kFrame = 20, kFunction = 0, kArgument = 1, kReturn = 11 };
#else
#error "no way to switch stacks on this processor"
#endif

// ---- AddressSanitizer wants to know which stack is in use

#if defined(__SANITIZE_ADDRESS__)
#define STRC_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define STRC_ADDRESS_SANITIZER 1
#endif
#endif

#ifdef STRC_ADDRESS_SANITIZER
void __sanitizer_start_switch_fiber(void **shadow, const void *bottom, size_t size);
void __sanitizer_finish_switch_fiber(void *shadow, const void **bottom, size_t *size);
void __asan_unpoison_memory_region(const volatile void *, size_t);
#else
static void __sanitizer_start_switch_fiber(void **shadow, const void *bottom, size_t size) {
    (void)shadow, (void)bottom, (void)size;
}
static void __sanitizer_finish_switch_fiber(void *shadow, const void **bottom, size_t *size) {
    (void)shadow, (void)bottom, (void)size;
}
static void __asan_unpoison_memory_region(const volatile void *at, size_t size) {
    (void)at, (void)size;
}
#endif

static void switch_stacks(strc_coroutine *self) {
    void *to = self->here;
    const uint32_t subnormals = strc_subnormals();
    strc_switch_stack(&self->here, to);
    strc_set_subnormals(subnormals);
}

static void run_body(strc_coroutine *self) {
    __sanitizer_finish_switch_fiber(NULL, &self->caller_stack, &self->caller_bytes);
    self->body(self->self);
    for (;;) strc_coroutine_pause(self);
}

void strc_coroutine_begin(strc_coroutine *self, void *stack, size_t bytes, void (*body)(void *),
                          void *of) {
    *self = (strc_coroutine){.stack = stack, .bytes = bytes, .body = body, .self = of};
    __asan_unpoison_memory_region(stack, bytes);
    uintptr_t *frame = (uintptr_t *)((char *)stack + bytes) - kFrame;
    memset(frame, 0, kFrame * sizeof *frame);
    frame[kFunction] = (uintptr_t)run_body;
    frame[kArgument] = (uintptr_t)self;
    frame[kReturn] = (uintptr_t)strc_enter_stack;
    self->here = frame;
}

void strc_coroutine_resume(strc_coroutine *self) {
    void *shadow = NULL;
    __sanitizer_start_switch_fiber(&shadow, self->stack, self->bytes);
    switch_stacks(self);
    __sanitizer_finish_switch_fiber(shadow, NULL, NULL);
}

void strc_coroutine_pause(strc_coroutine *self) {
    __sanitizer_start_switch_fiber(&self->shadow, self->caller_stack, self->caller_bytes);
    switch_stacks(self);
    __sanitizer_finish_switch_fiber(self->shadow, &self->caller_stack, &self->caller_bytes);
}
