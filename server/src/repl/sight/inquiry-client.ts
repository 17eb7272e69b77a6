/** Inquiries from the server's side: numbered, answered in any order, and given up when the image stays silent. */
import type { ImageChild } from "../process/image-child.ts";
import type { Inquiry, InquiryAnswer } from "../child/wire/inquiry.ts";
import type { FromImage } from "../child/wire/wire.ts";

export interface Inquiries {
  /** `busy` when no answer came in time. Contract: never rejects. */
  readonly ask: (inquiry: Inquiry, patienceMs: number) => Promise<InquiryAnswer>;
  readonly answered: (frame: Extract<FromImage, { t: "inquired" }>) => void;
}

export function createInquiries(send: ImageChild["send"]): Inquiries {
  const waiting = new Map<number, (answer: InquiryAnswer) => void>();
  let requests = 0;
  return {
    ask: (inquiry, patienceMs) => {
      const request = ++requests;
      const { promise, resolve } = Promise.withResolvers<InquiryAnswer>();
      const timer = setTimeout(() => resolve({ kind: "busy" }), patienceMs);
      waiting.set(request, resolve);
      send({ t: "inquire", request, inquiry });
      return promise.finally(() => {
        clearTimeout(timer);
        waiting.delete(request);
      });
    },
    answered: ({ request, answer }) => waiting.get(request)?.(answer),
  };
}
