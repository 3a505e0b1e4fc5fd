// The only place that asks which compiler is at work: marks functions that run on host and device.
#ifndef HEARSAY_TASKS_HOST_DEVICE_H_
#define HEARSAY_TASKS_HOST_DEVICE_H_

#ifdef __CUDACC__
#define HEARSAY_HD __host__ __device__
#else
#define HEARSAY_HD
#endif

// Index of the lowest bit set in a 64-bit word that is not 0.
#ifdef __CUDA_ARCH__
#define HEARSAY_COUNT_TRAILING_ZEROS(bits) (__ffsll(static_cast<long long>(bits)) - 1)
#else
#define HEARSAY_COUNT_TRAILING_ZEROS(bits) __builtin_ctzll(bits)
#endif

// Before a loop, on a GPU: unroll it, where an array stays in registers only if no variable indexes
// it; unroll it by four, so that it waits for memory once, not four times; or leave it a loop,
// since code must be fetched as well.
#ifdef __CUDA_ARCH__
#define HEARSAY_UNROLL _Pragma("unroll")
#define HEARSAY_UNROLL_FOUR _Pragma("unroll 4")
#define HEARSAY_ROLLED _Pragma("unroll 1")
#else
#define HEARSAY_UNROLL
#define HEARSAY_UNROLL_FOUR
#define HEARSAY_ROLLED
#endif

// Whether this is code for a CPU with SSE2, as every x86-64 has it.
#if defined(__SSE2__) && !defined(__CUDA_ARCH__)
#define HEARSAY_SSE2
#endif

// Asks for the cache line at an address ahead of its use.
#ifdef __CUDA_ARCH__
#define HEARSAY_PREFETCH(address) static_cast<void>(address)
#else
#define HEARSAY_PREFETCH(address) __builtin_prefetch(address)
#endif

#endif  // HEARSAY_TASKS_HOST_DEVICE_H_
