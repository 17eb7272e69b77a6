/**
 * The thread of the image that user code cannot block: it owns file descriptor 3 and an inspector session on the main
 * thread. When the server goes away it ends the process, even in the middle of an endless loop.
 */
import { Session } from "node:inspector";
import { Socket } from "node:net";
import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from "node:worker_threads";
import type { FromMain } from "../wire/from-main.ts";
import { Controller } from "./controller.ts";
import { dropRights } from "../shared/drop-rights.ts";
import { createEndedNews } from "../wire/stopped-reports.ts";
import { createFrameReader, encodeFrame } from "../wire/frames.ts";
import { enterScope } from "./inspector/enter-scope.ts";
import { answerHeapQuery } from "./inspector/answer-heap-query.ts";
import { createInquiries } from "./look/answer-inquiries.ts";
import type { Inquiry } from "../wire/inquiry.ts";
import { peekBinding } from "./look/peek-binding.ts";
import { createScriptUrls } from "./inspector/script-urls.ts";
import { CELL } from "../wire/shared-cells.ts";
import type { BridgeAnswer, FromImage, ToImage } from "../wire/wire.ts";

const { port, cells, confined, input } = workerData as {
  port: MessagePort;
  cells: Int32Array;
  confined: boolean;
  /** 3, or another descriptor when 3 can only be written to. */
  input: number;
};
const main = parentPort as MessagePort;
let token = "";
const OUTPUT_DELAY_MS = 16;
const MAX_OPENED = 1000;

const die = (): void => {
  try {
    // With what it has started: the server made it the leader of a group.
    process.kill(-process.pid, "SIGKILL");
  } catch {
    process.kill(process.pid, "SIGKILL");
  }
};
const session = new Session();
session.connectToMainThread();
const socket = new Socket({ fd: 3, readable: input === 3, writable: true });
const source = input === 3 ? socket : new Socket({ fd: input, readable: true, writable: false });
for (const end of new Set([socket, source])) end.on("close", die).on("error", die);
source.on("end", die);

let greeted: (given: string) => void = () => {};
const greeting = new Promise<void>((resolve) => {
  greeted = (given) => {
    token = given;
    resolve();
  };
});
const send = (frame: FromImage): void => void socket.write(encodeFrame({ token, ...frame }));

let output: Extract<FromImage, { t: "out" }>[] = [];
let outputTimer: NodeJS.Timeout | undefined;
const flushOutput = (): void => {
  clearTimeout(outputTimer);
  outputTimer = undefined;
  const frames = output;
  output = [];
  for (const frame of frames) send(frame);
};
/** Evaluations that opened what may outlast them, until they are over. */
const opened = new Set<number>();
const ended = createEndedNews();
const fromMain = (message: FromMain): void => {
  if (message.t === "enter") return void enterScope(session, controller, message.question, message.url);
  if (message.t === "opened") {
    if (opened.size === MAX_OPENED) opened.clear();
    return void opened.add(message.id);
  }
  if (message.t === "ended") return ended.tell(message.id, message);
  if (message.t === "flush") {
    flushOutput();
    Atomics.add(cells, CELL.flushed, 1);
    return void Atomics.notify(cells, CELL.flushed);
  }
  if (message.t === "query") return void answerHeapQuery(controller, message.question);
  if (message.t === "need") return send(message);
  if (message.t === "dropped" || message.t === "event") {
    flushOutput();
    return send(message);
  }
  // Whatever else came by the port would go out under the token, as the image's own word.
  if (message.t !== "out") return;
  const last = output.at(-1);
  if (last?.id === message.id && last.stream === message.stream) {
    output[output.length - 1] = { ...last, text: last.text + message.text };
  } else output.push(message);
  if (outputTimer !== undefined) return;
  // The first words go at once: they may be the last.
  flushOutput();
  outputTimer = setTimeout(flushOutput, OUTPUT_DELAY_MS);
};
/** What the main thread posted before its evaluation ended must reach the server before the result does. */
const drain = (): void => {
  for (let got = receiveMessageOnPort(port); got !== undefined; got = receiveMessageOnPort(port)) {
    fromMain(got.message as FromMain);
  }
  flushOutput();
};
port.on("message", fromMain);

const controller = new Controller({
  session,
  cells,
  report: (result) => {
    drain();
    opened.delete(result.id);
    send(result);
  },
  began: (id) => send({ t: "began", id }),
  ended,
  hasOpened: (id) => {
    drain();
    return opened.delete(id);
  },
});

const peek = async (request: number, url: string, path: readonly string[]): Promise<void> => {
  send({ t: "peeked", request, answer: await peekBinding(controller, url, path) });
};

const { post, isStopping } = controller;
const answerInquiry = createInquiries({ post, isStopping, scripts: createScriptUrls(session, post, isStopping) });
const inquire = async (request: number, inquiry: Inquiry): Promise<void> => {
  send({ t: "inquired", request, answer: await answerInquiry(inquiry) });
};

const answerMain = (request: number, answer: BridgeAnswer): void => {
  port.postMessage({ request, answer });
  Atomics.add(cells, CELL.bell, 1);
  Atomics.notify(cells, CELL.bell);
};
source.on(
  "data",
  createFrameReader((frame) => {
    const message = frame as ToImage;
    if (message.t === "hello") greeted(message.token);
    else if (message.t === "eval") void controller.evaluate(message.id, message.code);
    else if (message.t === "interrupt") controller.interrupt(message.id, message.locate, message.isOver);
    else if (message.t === "peek") void peek(message.request, message.url, message.path);
    else if (message.t === "inquire") void inquire(message.request, message.inquiry);
    else answerMain(message.request, message.answer);
  }, die),
);

const answerReady = ({ refused }: { refused?: string }): void => {
  const reason = refused ?? (confined ? dropRights() : undefined);
  if (reason === undefined) send({ t: "ready", pid: process.pid, node: process.version, confined });
  else send({ t: "refused", reason });
};
// Without the token nothing of this process would be heard.
main.once("message", (message: { refused?: string }) => void greeting.then(() => answerReady(message)));
main.postMessage("connected");
