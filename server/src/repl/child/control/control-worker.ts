/**
 * The thread of the image that user code cannot block. It owns the channel to the server and an inspector session on the
 * main thread. When the server goes away, this thread ends the process, even in the middle of an endless loop; in a
 * program that the person runs, the thread ends itself alone.
 */
import { Session } from "node:inspector";
import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from "node:worker_threads";
import type { FromMain } from "../wire/from-main.ts";
import { descriptorChannel, socketChannel } from "./channel.ts";
import { Controller } from "./controller.ts";
import { dropRights } from "../shared/drop-rights.ts";
import { createStoppedReports } from "../wire/stopped-reports.ts";
import { createFrameReader, encodeFrame } from "../wire/frames.ts";
import { enterScope } from "./inspector/enter-scope.ts";
import { answerHeapQuery } from "./inspector/answer-heap-query.ts";
import { createInquiryAnswers } from "./look/answer-inquiries.ts";
import { AwaitedPrograms } from "./stop/awaited-programs.ts";
import { OutputQueue } from "./output-queue.ts";
import type { Inquiry } from "../wire/inquiry.ts";
import { peekBinding } from "./look/peek-binding.ts";
import { LogPoints } from "./inspector/log-points.ts";
import { createScriptUrls } from "./inspector/script-urls.ts";
import { CELL } from "../wire/shared-cells.ts";
import { answerForks } from "../threads/answer-forks.ts";
import { answerThreads } from "../threads/answer-threads.ts";
import { ForeignQuestions } from "../threads/foreign-questions.ts";
import type { BridgeAnswer, FromImage, ToImage } from "../wire/wire.ts";

const { port, cells, isLimited, ...place } = workerData as {
  port: MessagePort;
  cells: Int32Array;
  isLimited: boolean;
} & ({ readonly input: number } | { readonly path: string });
const main = parentPort as MessagePort;
let token = "";
const MAX_OPENED = 1000;

const die = (): void => {
  try {
    // Ends everything that the process has started: the server made the process the leader of its group.
    process.kill(-process.pid, "SIGKILL");
  } catch {
    process.kill(process.pid, "SIGKILL");
  }
};
const session = new Session();
session.connectToMainThread();
/** A thread that ends before the main thread has let go of the session takes the whole program along. */
const leave = (): void => {
  if (isLeaving) return;
  isLeaving = true;
  logPoints.leave();
  session.disconnect();
  Atomics.store(cells, CELL.left, 1);
  main.on("message", (message) => message === "bye" && process.exit());
  main.postMessage("leaving");
};
let isLeaving = false;
const logPoints = new LogPoints((method, params) => controller.post(method, params));
/** Nobody else could stop a form that holds the main thread of the program. */
const stopAndLeave = (): void => void controller.stopAll().then(leave, leave);
if ("path" in place) process.on("uncaughtException", leave);
const open = Promise.withResolvers<void>();
const over = "path" in place ? stopAndLeave : die;
const channel = "path" in place ? socketChannel(place.path, open.resolve, over) : descriptorChannel(place.input, over);
if ("input" in place) open.resolve();

const greeting = Promise.withResolvers<void>();
let isGreeted = false;
/** Without the token the server would ignore the frames of this process. */
const early: FromImage[] = [];
const send = (frame: FromImage): void => channel.write(encodeFrame({ token, ...frame }));

const output = new OutputQueue(send);
/** Running evaluations that opened something that may outlast them, or that printed more than was sent. */
const opened = new Set<number>();
const noteOpened = (id: number): void => {
  if (opened.size === MAX_OPENED) opened.clear();
  opened.add(id);
};
const ended = createStoppedReports();
const programs = new AwaitedPrograms();
const foreign = new ForeignQuestions((request, need) => send({ t: "need", request, need }));
const fromMain = (message: FromMain): void => {
  if (message.t === "enter") return void enterScope(session, controller, message.question, message.url);
  if (message.t === "point") return void logPoints.set(message);
  if (message.t === "unpoint") return void logPoints.remove(message.id);
  if (message.t === "opened") return noteOpened(message.id);
  if (message.t === "awaits") return message.before === undefined ? programs.over() : programs.began(message.before);
  if (message.t === "forks") return answerForks(foreign, message.socket);
  if (message.t === "ended") return ended.tell(message.id, message);
  if (message.t === "flush") {
    output.flush();
    Atomics.add(cells, CELL.flushed, 1);
    return void Atomics.notify(cells, CELL.flushed);
  }
  if (message.t === "query") return void answerHeapQuery(controller, message.question);
  if (message.t === "need") return send(message);
  if (message.t === "loaded") return isGreeted ? send(message) : void early.push(message);
  if (message.t === "dropped" || message.t === "end" || message.t === "event") {
    if (message.t === "dropped") noteOpened(message.id);
    output.flush();
    return send(message);
  }
  // Other messages are dropped, because the server would take them for the image's own.
  if (message.t === "out") output.add(message);
};
/**
 * Sends everything that the main thread posted before its evaluation ended: this must reach the server before the
 * result.
 */
const drain = (): void => {
  for (let got = receiveMessageOnPort(port); got !== undefined; got = receiveMessageOnPort(port)) {
    fromMain(got.message as FromMain);
  }
  output.flush();
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
  programs,
  hasOpened: (id) => {
    drain();
    return opened.delete(id);
  },
});

const peek = async (request: number, url: string, path: readonly string[]): Promise<void> => {
  send({ t: "peeked", request, answer: await peekBinding(controller, url, path) });
};

const { post, isStopping, stopped } = controller;
const scripts = createScriptUrls(session, post, isStopping);
const answerInquiry = createInquiryAnswers({ post, isStopping, stopped, scripts });
const inquire = async (request: number, inquiry: Inquiry): Promise<void> => {
  send({ t: "inquired", request, answer: await answerInquiry(inquiry) });
};

if ("input" in place) answerThreads(foreign);
const answerMain = (request: number, answer: BridgeAnswer): void => {
  port.postMessage({ request, answer });
  Atomics.add(cells, CELL.bell, 1);
  Atomics.notify(cells, CELL.bell);
};
channel.onData(
  createFrameReader((frame) => {
    const message = frame as ToImage;
    // Who does not say who it is is not the server.
    if (token === "" && message.t !== "hello") over();
    else if (message.t === "hello") {
      token = message.token;
      greeting.resolve();
    } else if (message.t === "eval") void controller.evaluate(message.id, message.code);
    else if (message.t === "interrupt") controller.interrupt(message.id, message.locate, message.isOver);
    else if (message.t === "peek") void peek(message.request, message.url, message.path);
    else if (message.t === "inquire") void inquire(message.request, message.inquiry);
    else if (!foreign.answered(message.request, message.answer)) answerMain(message.request, message.answer);
  }, over),
);

const answerReady = ({ refused }: { refused?: string }): void => {
  drain();
  isGreeted = true;
  for (const frame of early.splice(0)) send(frame);
  const reason = refused ?? (isLimited ? dropRights() : undefined);
  if (reason === undefined) send({ t: "ready", pid: process.pid, node: process.version });
  else send({ t: "refused", reason });
};
main.once("message", (message: { refused?: string }) => void greeting.promise.then(() => answerReady(message)));
if ("path" in place) main.on("message", (message) => message === "leave" && leave());
void open.promise.then(() => main.postMessage("connected"));
