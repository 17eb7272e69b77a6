/**
 * Calls of the kernel that no namespace takes away from a program, as a filter of seccomp's: keys in the person's keyrings,
 * sockets to the host of a virtual machine, and the way of asking the kernel that goes past every filter.
 */

/** The kernel's numbers: of the machine, of the calls that are refused, and of the one that makes sockets. */
const MACHINES: Readonly<
  Record<string, { readonly machine: number; readonly refused: readonly number[]; readonly socket: number }>
> = {
  // add_key, request_key, keyctl, io_uring_setup
  x64: { machine: 0xc000003e, refused: [248, 249, 250, 425], socket: 41 },
  arm64: { machine: 0xc00000b7, refused: [217, 218, 219, 425], socket: 198 },
};
const AF_VSOCK = 40;
/** Above, x64 has its calls a second time. */
const SECOND_CALLS = 0x40000000;

const [LOAD, EQUAL, AT_LEAST, RETURN] = [0x20, 0x15, 0x35, 0x06];
/** Offsets in what a filter is asked about. */
const [CALL, MACHINE, FIRST_ARGUMENT] = [0, 4, 16];
const ALLOW = 0x7fff0000;
const ERROR = 0x00050000;
const [NO_SUCH_CALL, NO_SUCH_SOCKET] = [ERROR | 38, ERROR | 97];

type Step = readonly [code: number, onTrue: number, onFalse: number, value: number];

/** Empty where nobody knows the machine's numbers. */
export function callFilter(arch: string = process.arch): Buffer {
  const known = MACHINES[arch];
  if (known === undefined) return Buffer.alloc(0);
  const { machine, refused, socket } = known;
  const refuse: Step = [RETURN, 0, 0, NO_SUCH_CALL];
  const steps: Step[] = [
    [LOAD, 0, 0, MACHINE],
    [EQUAL, 1, 0, machine],
    refuse,
    [LOAD, 0, 0, CALL],
    [AT_LEAST, 0, 1, SECOND_CALLS],
    refuse,
    ...refused.flatMap((call): Step[] => [[EQUAL, 0, 1, call], refuse]),
    [EQUAL, 0, 3, socket],
    [LOAD, 0, 0, FIRST_ARGUMENT],
    [EQUAL, 0, 1, AF_VSOCK],
    [RETURN, 0, 0, NO_SUCH_SOCKET],
    [RETURN, 0, 0, ALLOW],
  ];
  const filter = Buffer.alloc(steps.length * 8);
  for (const [index, [code, onTrue, onFalse, value]] of steps.entries()) {
    filter.writeUInt16LE(code, index * 8);
    filter.writeUInt8(onTrue, index * 8 + 2);
    filter.writeUInt8(onFalse, index * 8 + 3);
    filter.writeUInt32LE(value, index * 8 + 4);
  }
  return filter;
}
