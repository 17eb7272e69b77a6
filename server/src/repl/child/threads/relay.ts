/** The thread of a forked process that passes its questions on to the image, as long as the image is there. */
import { connect } from "node:net";
import { workerData } from "node:worker_threads";
import { createFrameReader, encodeFrame } from "../wire/frames.ts";
import type { ForkAnswer, ForkQuestion } from "../wire/thread-questions.ts";
import { answerThreads } from "./answer-threads.ts";
import { ForeignQuestions } from "./foreign-questions.ts";

const { socket: path, ready } = workerData as { socket: string; ready: Int32Array };
const asked = new Set<number>();
let isGone = false;
const socket = connect(path);

/** The image is gone: from now on Node loads the modules itself. */
const leave = (): void => {
  isGone = true;
  for (const request of asked) questions.answered(request, {});
};
const questions = new ForeignQuestions((request, need) => {
  const question: ForkQuestion = { request, need };
  asked.add(request);
  if (isGone) questions.answered(request, {});
  else socket.write(encodeFrame(question));
});
const read = createFrameReader((frame) => {
  const { request, answer } = frame as ForkAnswer;
  asked.delete(request);
  questions.answered(request, answer);
}, leave);
socket.on("data", read).on("error", leave).on("close", leave);
answerThreads(questions);
Atomics.store(ready, 0, 1);
Atomics.notify(ready, 0);
