/** A process with the control thread, as its session holds it: one that the server has started, or one of the person's. */
import type { FromImage, ToImage } from "../child/wire/wire.ts";

export interface ImageListener {
  readonly onFrame: (frame: FromImage) => void;
  /** Called with text that native code or a child process wrote past the image's own streams. */
  readonly onRaw: (stream: "stdout" | "stderr", text: string) => void;
}

export interface ImageChannel {
  readonly pid: number | undefined;
  /** Settles when user code may run, or with the reason why user code never will. */
  readonly ready: Promise<{ readonly refused?: string }>;
  /** Settles with a sentence when the process is gone, or nobody speaks to it any more. */
  readonly gone: Promise<string>;
  readonly send: (frame: ToImage) => void;
  /** To be called once. Frames and texts that came before the call are passed on now. */
  readonly listen: (to: ImageListener) => void;
  /** Ends the process; one of the person's is only left. */
  readonly kill: () => void;
}
