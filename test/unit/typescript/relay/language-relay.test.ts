/** How the relay tells the end of a process, in whichever order the ends of its parts become known. */
import { expect, it } from "vitest";
import type { NativeProcess } from "../../../../server/src/typescript/session/native-process.ts";
import { Relay, type RelayTarget } from "../../../../server/src/typescript/relay/language-relay.ts";

const KILLED = "the TypeScript compiler process ended with signal SIGKILL";

/** `request` is what becomes of a request while the process dies. */
function dyingTarget(request: () => Promise<never>): RelayTarget & { readonly exit: (reason: string) => void } {
  const { promise: exited, resolve: exit } = Promise.withResolvers<string>();
  const native = { exited, requestRaw: request } as unknown as NativeProcess;
  return { native, exit, flush: () => undefined, tellSettings: () => Promise.resolve() };
}

function createRelay(onStart: () => void): Relay {
  return new Relay({
    editor: {
      profile: { capabilities: { textDocument: { diagnostic: {} } } },
      ready: Promise.resolve(),
      request: () => Promise.resolve(null),
      notify: () => undefined,
    },
    start: onStart,
    openDocuments: () => [],
    lookAtDisk: () => Promise.resolve(),
    log: () => undefined,
  });
}

it.each([
  ["a failed write", () => Promise.reject(new Error("write EPIPE"))],
  ["the end of the process", () => new Promise<never>(() => undefined)],
])("says why the process died twice under a request when %s is the first sign", async (_first, request) => {
  const targets = [dyingTarget(request), dyingTarget(request)];
  const relay = createRelay(() => queueMicrotask(startNext));
  function startNext(): void {
    const target = targets.shift();
    if (target === undefined) return;
    void target.native.exited.then((reason) => relay.detach(target.native, reason));
    relay.attach(target);
    // After the request, whose failed write is known by then.
    setImmediate(() => target.exit(KILLED));
  }
  const answer = relay.request("textDocument/hover", {}, AbortSignal.timeout(10_000));
  await expect(answer).rejects.toThrow(`${KILLED}; it is being restarted, ask again.`);
  expect(targets).toEqual([]);
});
