/**
 * Length-prefixed JSON: four bytes for the length, big-endian, then UTF-8. A huge frame needs no search for its end.
 */

const HEADER = 4;
export const MAX_FRAME = 256 * 1024 * 1024;

export function encodeFrame(value: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(value), "utf8");
  const frame = Buffer.allocUnsafe(HEADER + body.length);
  frame.writeUInt32BE(body.length, 0);
  body.copy(frame, HEADER);
  return frame;
}

/**
 * Returns a function that takes received bytes. `onFrame` gets each parsed frame in order. A length above `MAX_FRAME`
 * or a body that is not JSON means that the stream is broken: `onBroken` is called once, and all further bytes are
 * ignored.
 */
export function createFrameReader(
  onFrame: (frame: unknown) => void,
  onBroken: (reason: string) => void,
): (bytes: Buffer) => void {
  let pieces: Buffer[] = [];
  let size = 0;
  let broken = false;
  const fail = (reason: string): void => {
    broken = true;
    pieces = [];
    onBroken(reason);
  };
  return (bytes) => {
    if (broken) return;
    pieces.push(bytes);
    size += bytes.length;
    while (size >= HEADER) {
      const first = join(pieces, HEADER);
      const length = first.readUInt32BE(0);
      if (length > MAX_FRAME) return fail(`a frame of ${length} bytes`);
      if (size < HEADER + length) return;
      const all = join(pieces, size);
      const rest = all.subarray(HEADER + length);
      pieces = rest.length > 0 ? [rest] : [];
      size = rest.length;
      let frame: unknown;
      try {
        frame = JSON.parse(all.toString("utf8", HEADER, HEADER + length));
      } catch {
        return fail("a frame that is not JSON");
      }
      onFrame(frame);
    }
  };
}

/** Makes the first `needed` bytes contiguous, in place. It copies only when a frame arrived in several pieces. */
function join(pieces: Buffer[], needed: number): Buffer {
  const first = pieces[0];
  if (first !== undefined && first.length >= needed) return first;
  const all = Buffer.concat(pieces);
  pieces.length = 0;
  pieces.push(all);
  return all;
}
