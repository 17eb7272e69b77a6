/** What a walled program sees of the machine: an empty disk, into which named places are put. */

/** Contract: every path is absolute and real. A later mount lies over an earlier one. */
export type Mount =
  /** A file or folder of the machine, at its own place. Nothing happens where it does not exist. */
  | { readonly kind: "read"; readonly path: string }
  /** The file or folder at `from`, shown at `path`. */
  | { readonly kind: "read"; readonly path: string; readonly from: string }
  | { readonly kind: "write"; readonly path: string; readonly from: string }
  | { readonly kind: "link"; readonly path: string; readonly target: string }
  /** An empty folder in place of one that must not be seen. */
  | { readonly kind: "nothing"; readonly path: string };

export interface View {
  readonly mounts: readonly Mount[];
  /** Where the program begins. */
  readonly folder: string;
  /** The program has the machine's network; else nothing but a loopback of its own. */
  readonly isOnline?: true;
}

/** Who the program runs as. */
export interface Person {
  readonly uid: number;
  readonly gid: number;
}

/** The kernel's own settings below `/proc`, to which root may write without any right that could be taken away. */
export const SETTINGS: readonly string[] =
  "sys fs scsi acpi asound bus irq keys mtrr sysrq-trigger timer_list sched_debug".split(" ");
/** Bytes of each folder that is kept in memory. */
export const MEMORY_FOLDER = 64 * 2 ** 20;
