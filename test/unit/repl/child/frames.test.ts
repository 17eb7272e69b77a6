import fc from "fast-check";
import { expect, it } from "vitest";
import { createFrameReader, encodeFrame } from "../../../../server/src/repl/child/wire/frames.ts";

it("reads back every sequence of frames, however the bytes are cut", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.array(fc.integer({ min: 1, max: 40 })), (values, cuts) => {
      const bytes = Buffer.concat(values.map(encodeFrame));
      const received: unknown[] = [];
      const read = createFrameReader(
        (frame) => received.push(frame),
        (reason) => expect.unreachable(reason),
      );
      let from = 0;
      for (let index = 0; from < bytes.length; index++) {
        const length = cuts[index % Math.max(1, cuts.length)] ?? bytes.length;
        read(bytes.subarray(from, from + length));
        from += length;
      }
      expect(received).toEqual(values.map((value) => JSON.parse(JSON.stringify(value)) as unknown));
    }),
  );
});

it("gives up once, and reads nothing more, when the stream loses its step", () => {
  const reasons: string[] = [];
  const read = createFrameReader(
    () => expect.unreachable("no frame was sent"),
    (reason) => reasons.push(reason),
  );
  read(Buffer.from([0xff, 0xff, 0xff, 0xff, 1, 2]));
  read(encodeFrame({ late: true }));
  expect(reasons).toHaveLength(1);
});
