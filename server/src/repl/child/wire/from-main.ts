/** What the main thread posts to the control worker. Heap queries and ways into a scope are answered there. */
import type { StoppedReport } from "./stopped-reports.ts";
import type { FromImage } from "./wire.ts";

export type FromMain =
  | Extract<FromImage, { t: "out" | "dropped" | "end" | "event" | "need" }>
  /** Hand over the output so far: the process may end now. */
  | { readonly t: "flush" }
  /** The main thread waits for a program, beside these processes that there were before; undefined: it waits no more. */
  | { readonly t: "awaits"; readonly before: readonly string[] | undefined }
  /** Processes that were forked will ask there. */
  | { readonly t: "forks"; readonly socket: string }
  /** What that interrupted evaluation had open and no longer has. */
  | ({ readonly t: "ended"; readonly id: number } & StoppedReport)
  /** That evaluation opened something that may outlast it. */
  | { readonly t: "opened"; readonly id: number }
  | { readonly t: "query"; readonly question: number }
  | { readonly t: "enter"; readonly question: number; readonly url: string };
