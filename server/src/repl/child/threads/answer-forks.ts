/** Passes the questions of forked processes on. Each process connects to the socket at `path`. */
import { createServer } from "node:net";
import { createFrameReader, encodeFrame } from "../wire/frames.ts";
import type { ForkQuestion } from "../wire/thread-questions.ts";
import { isThreadNeed } from "./answer-threads.ts";
import type { ForeignQuestions } from "./foreign-questions.ts";

export function answerForks(questions: ForeignQuestions, path: string): void {
  const server = createServer((socket) => {
    const end = (): void => void socket.destroy();
    const read = createFrameReader((frame) => {
      const { request, need } = frame as Partial<ForkQuestion>;
      if (!isThreadNeed(need)) return end();
      questions.ask(need, (answer) => void socket.write(encodeFrame({ request, answer })));
    }, end);
    socket.on("data", read).on("error", end);
  });
  // Without the socket, forked processes are plain Node.
  server.on("error", () => {});
  server.listen(path);
}
