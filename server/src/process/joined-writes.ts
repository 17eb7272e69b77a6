/** A message's header and body leave in one write: each write wakes the reader at the other end of the pipe. */
import { Writable } from "node:stream";

/** For a `StreamMessageWriter`, which writes the header as a text and the body as bytes. Ends and fails with `output`. */
export function joinedWrites(output: Writable): Writable {
  let header = "";
  const joined = new Writable({
    decodeStrings: false,
    write: (part: string | Uint8Array, _encoding, done) => {
      if (typeof part === "string") {
        header += part;
        return done();
      }
      const head = Buffer.from(header, "latin1");
      header = "";
      output.write(Buffer.concat([head, part]), done);
    },
    final: (done) => void output.end(done),
  });
  output.once("error", (error) => joined.destroy(error));
  output.once("close", () => joined.destroy());
  return joined;
}
