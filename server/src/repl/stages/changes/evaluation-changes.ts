/**
 * What changed in the workspace while a form ran, kept or taken back as the person decides. Nobody can tell who wrote a
 * file: "while it ran" is all that is claimed, and what the editor itself saved meanwhile is left out.
 */
import { relative } from "node:path";
import type { ChangeDecision, EvaluationChange } from "../../../protocol/repl-shapes.ts";
import type { DiagnosticLine } from "../../../protocol/shapes.ts";
import { compareManifests, type FileChange } from "./compare.ts";
import { MAX_FILES, takeManifest, type Manifest } from "./manifest.ts";
import { createPreImages, type PreImages } from "./pre-images.ts";
import { takeBack, whyNotRevertible } from "./take-back.ts";

export interface ChangeWatchOptions {
  /** Real paths of the folders that are watched. */
  readonly roots: () => readonly string[];
  readonly uriOf: (realPath: string) => string;
  /** Whether the editor saved this text as the file's after the given moment. */
  readonly wasSaved: (path: string, content: string, since: number) => boolean;
  readonly images?: PreImages;
}

export interface WatchedChanges {
  readonly changes: readonly EvaluationChange[];
  readonly notes: readonly DiagnosticLine[];
}

export interface EvaluationChanges {
  /** Before a form runs: what is there is remembered. At once when another form runs, or when nothing had time to change. */
  readonly before: () => Promise<void>;
  /** After it ran; to be called once for every `before`, or once for several forms that are named by the last of them. */
  readonly after: (evalId: string, forms?: number) => Promise<WatchedChanges>;
  /** Undefined when that evaluation has no changes to decide on. */
  readonly decide: (
    evalId: string,
    what: "keep" | "revert",
    uris: readonly string[] | undefined,
  ) => Promise<ChangeDecision | undefined>;
  /** What the person decided since the last call, in sentences for the model. */
  readonly takeDecisions: () => DiagnosticLine[];
}

interface Undecided {
  readonly changes: Map<string, FileChange>;
  readonly folders: Manifest["folders"];
}

const MAX_SHOWN = 100;
const MAX_NAMED = 8;
const REMEMBERED_EVALUATIONS = 20;
/** A form that follows another this soon was not preceded by anybody else's work worth a look. */
const FRESH_MS = 50;

export function createEvaluationChanges(options: ChangeWatchOptions): EvaluationChanges {
  const images = options.images ?? createPreImages();
  const undecided = new Map<string, Undecided>();
  let decisions: DiagnosticLine[] = [];
  let manifest: Manifest | undefined;
  let lookedAt = 0;
  let running = 0;
  let saidIncomplete = false;
  let queue: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = queue.then(work);
    queue = result.catch(() => undefined);
    return result;
  };
  const shown = (path: string): string => {
    const root = options.roots().find((folder) => path.startsWith(folder));
    return root === undefined ? path : relative(root, path);
  };
  const look = async (): Promise<{ was: Manifest | undefined; now: Manifest }> => {
    const was = manifest;
    const now = await takeManifest(options.roots(), was);
    manifest = now;
    return { was, now };
  };

  const before: EvaluationChanges["before"] = () => {
    running++;
    return inTurn(async () => {
      if (running > 1 || (manifest !== undefined && Date.now() - lookedAt < FRESH_MS)) return;
      lookedAt = Date.now();
      const { now } = await look();
      await images.keep(now);
    });
  };

  const after: EvaluationChanges["after"] = (evalId, forms = 1) =>
    inTurn(async () => {
      running -= forms;
      const { was, now } = await look();
      const since = lookedAt;
      lookedAt = Date.now();
      if (was === undefined) return { changes: [], notes: [] };
      const found = compareManifests(was, now, images).filter(
        ({ path, content }) => content === undefined || !options.wasSaved(path, content.toString("utf8"), since),
      );
      if (found.length > 0 || now.files.size !== was.files.size) await images.keep(now);
      const notes = incompleteNote(now);
      if (found.length === 0) return { changes: [], notes };
      undecided.set(evalId, {
        changes: new Map(found.map((each) => [options.uriOf(each.path), each])),
        folders: was.folders,
      });
      for (const oldest of undecided.keys()) {
        if (undecided.size <= REMEMBERED_EVALUATIONS) break;
        undecided.delete(oldest);
      }
      return {
        changes: found.slice(0, MAX_SHOWN).map((each) => toWire(each, options.uriOf(each.path))),
        notes: [changeNote(found), ...notes],
      };
    });

  const incompleteNote = (now: Manifest): DiagnosticLine[] => {
    if (now.complete || saidIncomplete) return [];
    saidIncomplete = true;
    const message = `The workspace has more than ${MAX_FILES} files: changes to those beyond are not seen.`;
    return [{ severity: "information", message }];
  };

  const changeNote = (found: readonly FileChange[]): DiagnosticLine => {
    const named = found.slice(0, MAX_NAMED).map(({ kind, path }) => `${shown(path)} (${kind})`);
    const more = found.length > MAX_NAMED ? ` and ${found.length - MAX_NAMED} more` : "";
    const files = found.length === 1 ? "a file" : `${found.length} files`;
    const message = `While this form ran, ${files} changed: ${named.join(", ")}${more}. The person can keep or revert that.`;
    return { severity: "warning", code: "filesChanged", message };
  };

  const decide: EvaluationChanges["decide"] = (evalId, what, uris) =>
    inTurn(async () => {
      const record = undecided.get(evalId);
      if (record === undefined) return undefined;
      const done: string[] = [];
      const names: string[] = [];
      const failed: { uri: string; reason: string }[] = [];
      for (const uri of uris ?? [...record.changes.keys()]) {
        const change = record.changes.get(uri);
        const isOld = (path: string): boolean => record.folders.has(path);
        const undoing = what === "keep" ? undefined : change && (await takeBack(change, isOld));
        const reason = change === undefined ? "this evaluation did not change it, or it is decided" : undoing;
        if (reason !== undefined) failed.push({ uri, reason });
        else {
          done.push(uri);
          names.push(shown(change?.path ?? uri));
          record.changes.delete(uri);
        }
      }
      if (record.changes.size === 0) undecided.delete(evalId);
      if (what === "revert") await images.keep((await look()).now);
      if (done.length > 0) decisions.push(decisionNote(evalId, what, names));
      return { done, failed };
    });

  const decisionNote = (evalId: string, what: "keep" | "revert", names: readonly string[]): DiagnosticLine => {
    const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : "";
    const verb = what === "keep" ? "kept" : "reverted";
    const message = `The person ${verb} what changed while form ${evalId} ran: ${names.slice(0, MAX_NAMED).join(", ")}${more}.`;
    return { severity: "information", message };
  };

  return {
    before,
    after,
    decide,
    takeDecisions: () => {
      const taken = decisions;
      decisions = [];
      return taken;
    },
  };
}

function toWire(change: FileChange, uri: string): EvaluationChange {
  const reason = whyNotRevertible(change);
  const wire = { uri, kind: change.kind, canRevert: reason === undefined };
  return reason === undefined ? wire : { ...wire, reason };
}
