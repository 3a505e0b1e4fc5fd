// The only place that asks which compiler is at work: marks functions that run on host and device.
#ifndef HEARSAY_TASKS_HOST_DEVICE_H_
#define HEARSAY_TASKS_HOST_DEVICE_H_

#ifdef __CUDACC__
#define HEARSAY_HD __host__ __device__
#else
#define HEARSAY_HD
#endif

#endif  // HEARSAY_TASKS_HOST_DEVICE_H_
