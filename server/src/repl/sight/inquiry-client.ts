/**
 * Inquiries from the server's side: they are numbered, answered in any order, and given up when the image stays silent.
 */
import type { ImageChannel } from "../process/image-channel.ts";
import type { Inquiry, InquiryAnswer } from "../child/wire/inquiry.ts";
import type { FromImage } from "../child/wire/wire.ts";

export class Inquiries {
  readonly #send: ImageChannel["send"];
  readonly #waiting = new Map<number, (answer: InquiryAnswer) => void>();
  #requests = 0;

  constructor(send: ImageChannel["send"]) {
    this.#send = send;
  }

  /** Answers `busy` when no answer comes in time. Contract: never rejects. */
  ask(inquiry: Inquiry, patienceMs: number): Promise<InquiryAnswer> {
    const request = ++this.#requests;
    const { promise, resolve } = Promise.withResolvers<InquiryAnswer>();
    const timer = setTimeout(() => resolve({ kind: "busy" }), patienceMs);
    this.#waiting.set(request, resolve);
    this.#send({ t: "inquire", request, inquiry });
    return promise.finally(() => {
      clearTimeout(timer);
      this.#waiting.delete(request);
    });
  }

  answered({ request, answer }: Extract<FromImage, { t: "inquired" }>): void {
    this.#waiting.get(request)?.(answer);
  }
}
