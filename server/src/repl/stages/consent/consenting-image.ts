/**
 * The image with the person's consent before it: no process with full rights is started before they agreed. It stands
 * before all other wrappers, so that what waits for an answer has no number yet and no place in the history.
 */
import type { ReplStatus, RestartAnswer } from "../../../protocol/repl-shapes.ts";
import { canConfine, NEEDED, whyNot } from "../../confinement/confinement.ts";
import type { Remembering, RestartRequest } from "../history/remembering-image.ts";
import type { Confinement, Image } from "../../image.ts";
import type { OpenConsent } from "./open-consent.ts";

export type Admission = { readonly confinement: Confinement } | { readonly refusal: string };

export interface Admitting {
  /**
   * How a process of this Node, by default the image's, may run. Asks the person where it cannot be confined or is not
   * meant to be, and calls `onWaiting` when it waits for them.
   */
  readonly admit: (signal: AbortSignal, onWaiting?: () => void, nodeVersion?: string) => Promise<Admission>;
  /** A person's own restart asks again what they said No to. */
  readonly restart: (
    request?: RestartRequest & { readonly by?: "person" | "agent" },
    signal?: AbortSignal,
  ) => Promise<RestartAnswer>;
}

export type Consenting<Given extends Remembering<Image>> = Omit<Given, "restart"> & Admitting;

/** What the image itself must know of it before it starts a process. */
export interface OpenMode {
  readonly confinement: () => Confinement;
  /** Why no process may be started now. */
  readonly whyNotStart: () => string | undefined;
  /** A status as the person shall see it: also before there is a process. */
  readonly seen: (status: ReplStatus) => ReplStatus;
}

/** `wanted` is what the person's settings say. A Node that cannot confine runs open, or not at all. */
export function openMode(wanted: Confinement, consent: OpenConsent): OpenMode & { readonly isOpened: () => void } {
  let isOpen = wanted === "open";
  return {
    isOpened: () => {
      isOpen = true;
    },
    confinement: () => (isOpen ? "open" : "confined"),
    whyNotStart: () => (isOpen || consent.state() === "refused" ? consent.refusal() : undefined),
    seen: (status) => {
      const cannot = /^v/.test(status.nodeVersion) && !canConfine(status.nodeVersion);
      if (!isOpen && !cannot) return status;
      const state = consent.state();
      if (state === "given") return { ...status, consent: state };
      const chosen = isOpen ? "It is set to run open, with all of your rights" : cannotConfine(status.nodeVersion);
      return { ...status, consent: state, confinementDetail: `Not running. ${chosen}: ${DETAILS[state]}` };
    },
  };
}

const DETAILS = {
  needed: "you are asked before it starts.",
  asked: "it waits for your answer whether it may.",
  refused: "you did not allow it. Restarting the REPL asks again.",
} as const;

export function consentFirst<Given extends Remembering<Image>>(
  image: Given,
  mode: ReturnType<typeof openMode>,
  consent: OpenConsent,
): Consenting<Given> {
  /** Evaluations that wait for the person's answer. */
  const waiting = new Set<AbortController>();
  /** What was found out about the image's own Node, and agreed to, holds until the server ends. */
  let admitted: Admission | undefined;

  const admit: Admitting["admit"] = async (signal, onWaiting, nodeVersion) => {
    if (nodeVersion !== undefined) return admitAnew(signal, onWaiting, nodeVersion);
    if (admitted !== undefined) return admitted;
    const admission = await admitAnew(signal, onWaiting);
    if (!("refusal" in admission)) admitted = admission;
    return admission;
  };

  const admitAnew: Admitting["admit"] = async (signal, onWaiting, nodeVersion) => {
    let why = 'The setting repl.confinement is "open".';
    if (mode.confinement() === "confined") {
      const version = nodeVersion ?? (await image.nodeVersion());
      // Without a Node that could run it there is nothing to be asked about: the start itself says so.
      if (version === undefined || canConfine(version) || whyNot(version, "open") !== undefined)
        return { confinement: "confined" };
      why = `${cannotConfine(version)}; Node ${NEEDED} or later can.`;
    }
    const refusal = await consent.obtain(why, signal, onWaiting);
    if (refusal !== undefined) return { refusal };
    if (nodeVersion === undefined) mode.isOpened();
    return { confinement: "open" };
  };

  return {
    ...image,
    status: () => mode.seen(image.status()),
    admit,
    evaluate: async (request, signal) => {
      if (admitted !== undefined) return image.evaluate(request, signal);
      const stop = new AbortController();
      waiting.add(stop);
      const either = AbortSignal.any([signal, stop.signal]);
      await admit(either);
      waiting.delete(stop);
      return image.evaluate(request, stop.signal.aborted ? stop.signal : signal);
    },
    interrupt: async (evalId) => {
      const early = evalId === undefined ? [...waiting] : [];
      for (const stop of early) stop.abort();
      return (await image.interrupt(evalId)) || early.length > 0;
    },
    restart: async ({ by, ...request } = {}, signal = new AbortController().signal) => {
      if (by === "person") consent.askAgain();
      await admit(signal);
      return mode.seen(await image.restart(request, signal));
    },
  };
}

function cannotConfine(nodeVersion: string): string {
  return `Node ${nodeVersion} cannot confine the REPL`;
}
