// The device heap (malloc, new, lists, growing arrays), printf from one thread, assertions that hold, memcpy and memset.
#include "support/check.cuh"

#include <cassert>

struct Node {
    int value;
    Node *next;
};

// Each thread builds a list, sums it and gives it back.
__global__ void heap_list(int n, int *sums) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    Node *head = nullptr;
    for (int k = 0; k < i % 6; ++k) {
        Node *node = static_cast<Node *>(malloc(sizeof(Node)));
        node->value = i * (k + 1);
        node->next = head;
        head = node;
    }
    int sum = 0, weight = 1;
    while (head != nullptr) {
        sum += weight++ * head->value;
        Node *next = head->next;
        free(head);
        head = next;
    }
    sums[i] = sum;
}

// An array that doubles when it is full.
__global__ void heap_growing_array(int n, unsigned *hashes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    int capacity = 2, size = 0;
    unsigned *items = new unsigned[capacity];
    for (int k = 0; k < i % 23; ++k) {
        if (size == capacity) {
            unsigned *larger = new unsigned[2 * capacity];
            memcpy(larger, items, size * sizeof(unsigned));
            delete[] items;
            items = larger;
            capacity *= 2;
        }
        items[size++] = i * 7919u + k;
    }
    unsigned hash = 0;
    for (int k = 0; k < size; ++k) {
        hash = hash * 31 + items[k];
    }
    delete[] items;
    hashes[i] = hash + capacity;
}

// One thread of a block allocates for all of them.
__global__ void heap_shared_by_block(int *out) {
    __shared__ int *memory;
    if (threadIdx.x == 0) {
        memory = static_cast<int *>(malloc(blockDim.x * sizeof(int)));
    }
    __syncthreads();
    memory[threadIdx.x] = threadIdx.x * threadIdx.x + blockIdx.x;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = memory[blockDim.x - 1 - threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        free(memory);
    }
}

__global__ void print_from_one_thread(int *out) {
    if (threadIdx.x == 5 && blockIdx.x == 1) {
        printf("print_from_one_thread: %d %u %lld %c %s %.3f %5d|%-5d|%05d %x\n", -42, 4000000000u, 1234567890123ll, 'w',
               "text", 2.5, 42, 42, 42, 48879u);
        printf("print_from_one_thread: no values, 100%%\n");
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x + 1;
}

__global__ void assertions_hold(int n, const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        assert(in[i] >= 0 && "inputs are not negative");
        int root = static_cast<int>(sqrtf(static_cast<float>(in[i])));
        assert(root * root <= in[i] && (root + 1) * (root + 1) > in[i]);
        out[i] = root;
    }
}

struct Record {
    char name[12];
    int values[6];
    double weight;
};

__global__ void copy_and_set_memory(int n, const Record *in, Record *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Record record;
        memset(&record, 0x5A, sizeof(record));
        memcpy(record.values, in[i].values, (i % 7) * sizeof(int));
        memcpy(record.name + i % 4, in[i].name, 8);
        record.weight = in[i].weight * 2;
        out[i] = record;
    }
}

int main() {
    {
        const int n = 1000;
        check::DeviceBuffer<int> dsums(n);
        heap_list<<<(n + 63) / 64, 64>>>(n, dsums);
        std::vector<int> sums(n);
        for (int i = 0; i < n; ++i) {
            for (int k = i % 6, weight = 1; k > 0; --k) {
                sums[i] += weight++ * i * k;
            }
        }
        check::exact("heap_list", dsums.to_host(), sums);
    }
    {
        const int n = 600;
        check::DeviceBuffer<unsigned> dhashes(n);
        heap_growing_array<<<(n + 63) / 64, 64>>>(n, dhashes);
        std::vector<unsigned> hashes(n);
        for (int i = 0; i < n; ++i) {
            unsigned capacity = 2;
            for (int k = 0; k < i % 23; ++k) {
                hashes[i] = hashes[i] * 31 + i * 7919u + k;
                capacity = static_cast<unsigned>(k) == capacity ? capacity * 2 : capacity;
            }
            hashes[i] += capacity;
        }
        check::exact("heap_growing_array", dhashes.to_host(), hashes);
    }
    {
        check::DeviceBuffer<int> dout(8 * 96);
        heap_shared_by_block<<<8, 96>>>(dout);
        std::vector<int> out(8 * 96);
        for (int i = 0; i < 8 * 96; ++i) {
            out[i] = (95 - i % 96) * (95 - i % 96) + i / 96;
        }
        check::exact("heap_shared_by_block", dout.to_host(), out);
    }
    {
        check::DeviceBuffer<int> dout(64);
        print_from_one_thread<<<2, 32>>>(dout);
        std::vector<int> out(64);
        for (int i = 0; i < 64; ++i) {
            out[i] = i % 32 + 1;
        }
        check::exact("print_from_one_thread", dout.to_host(), out);
    }
    {
        const int n = 2000;
        auto in = check::integers<int>(n, 281, 0, 1000000);
        check::DeviceBuffer<int> din(in), dout(n);
        assertions_hold<<<(n + 127) / 128, 128>>>(n, din, dout);
        std::vector<int> out(n);
        for (int i = 0; i < n; ++i) {
            while ((out[i] + 1) * (out[i] + 1) <= in[i]) {
                ++out[i];
            }
        }
        check::exact("assertions_hold", dout.to_host(), out);
    }
    {
        const int n = 500;
        auto bytes = check::integers<unsigned char>(n * sizeof(Record), 282, 1, 100);
        std::vector<Record> in(n), out(n);
        std::memcpy(static_cast<void *>(in.data()), bytes.data(), bytes.size());
        std::vector<unsigned char> expected(n * sizeof(Record), 0x5A);
        for (int i = 0; i < n; ++i) {
            in[i].weight = i * 0.25;
            unsigned char *record = &expected[i * sizeof(Record)];
            double weight = i * 0.5;
            std::memcpy(record + offsetof(Record, values), in[i].values, (i % 7) * sizeof(int));
            std::memcpy(record + i % 4, in[i].name, 8);
            std::memcpy(record + offsetof(Record, weight), &weight, sizeof(weight));
        }
        check::DeviceBuffer<Record> din(in), dout(n);
        copy_and_set_memory<<<(n + 127) / 128, 128>>>(n, din, dout);
        out = dout.to_host();
        std::vector<unsigned char> got(n * sizeof(Record));
        std::memcpy(got.data(), out.data(), got.size());
        for (int i = 0; i < n; ++i) {
            // Bytes between the members have no defined value.
            size_t end_of_values = offsetof(Record, values) + sizeof(out[i].values);
            for (size_t byte = end_of_values; byte < offsetof(Record, weight); ++byte) {
                got[i * sizeof(Record) + byte] = expected[i * sizeof(Record) + byte] = 0;
            }
        }
        check::exact("copy_and_set_memory", got, expected);
    }
    return check::finish();
}
