/**
 * Finds what changed in the workspace while a form ran, and keeps or reverts it as the person decides. Nobody can tell
 * who wrote a file: the answer only says "while it ran", and files that the editor saved meanwhile are left out.
 */
import { relative } from "node:path";
import type { ChangeDecision, EvaluationChange } from "../../../protocol/repl-shapes.ts";
import type { DiagnosticLine } from "../../../protocol/shapes.ts";
import { compareManifests, type FileChange } from "./compare.ts";
import { MAX_FILES, takeManifest, type Manifest } from "./manifest.ts";
import { PreImages } from "./pre-images.ts";
import { takeBack, whyNotRevertible } from "./take-back.ts";

export interface ChangeWatchOptions {
  /** Real paths of the folders that are watched. */
  readonly roots: () => readonly string[];
  readonly uriOf: (realPath: string) => string;
  /** Whether the editor saved this text as the file's content after the given moment. */
  readonly wasSaved: (path: string, content: string, since: number) => boolean;
}

export interface WatchedChanges {
  readonly changes: readonly EvaluationChange[];
  readonly notes: readonly DiagnosticLine[];
}

interface Undecided {
  readonly changes: Map<string, FileChange>;
  readonly folders: Manifest["folders"];
}

const MAX_SHOWN = 100;
const MAX_NAMED = 8;
const REMEMBERED_EVALUATIONS = 20;

export class EvaluationChanges {
  readonly #options: ChangeWatchOptions;
  readonly #images = new PreImages();
  readonly #undecided = new Map<string, Undecided>();
  #decisions: DiagnosticLine[] = [];
  #manifest: Manifest | undefined;
  #lookedAt = 0;
  #running = 0;
  #saidIncomplete = false;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: ChangeWatchOptions) {
    this.#options = options;
  }

  /** To be called before a form runs: remembers the present files. Returns at once when another form is running. */
  before(): Promise<void> {
    this.#running++;
    return this.#inTurn(async () => {
      if (this.#running > 1) return;
      this.#lookedAt = Date.now();
      await this.#images.keep(await this.#look());
    });
  }

  /** To be called after a form ran, once for every `before`. */
  after(evalId: string): Promise<WatchedChanges> {
    return this.#inTurn(async () => {
      this.#running--;
      const was = this.#manifest;
      const now = await this.#look();
      const since = this.#lookedAt;
      this.#lookedAt = Date.now();
      if (was === undefined) return { changes: [], notes: [] };
      const found = compareManifests(was, now, this.#images).filter(
        ({ path, content }) => content === undefined || !this.#options.wasSaved(path, content.toString("utf8"), since),
      );
      if (found.length > 0 || now.files.size !== was.files.size) await this.#images.keep(now);
      const notes = this.#incompleteNote(now);
      if (found.length === 0) return { changes: [], notes };
      this.#remember(evalId, found, was.folders);
      return {
        changes: found.slice(0, MAX_SHOWN).map((each) => toWire(each, this.#options.uriOf(each.path))),
        notes: [this.#changeNote(found), ...notes],
      };
    });
  }

  /** Undefined when that evaluation has no changes to decide. */
  decide(
    evalId: string,
    what: "keep" | "revert",
    uris: readonly string[] | undefined,
  ): Promise<ChangeDecision | undefined> {
    return this.#inTurn(async () => {
      const record = this.#undecided.get(evalId);
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
          names.push(this.#shown(change?.path ?? uri));
          record.changes.delete(uri);
        }
      }
      if (record.changes.size === 0) this.#undecided.delete(evalId);
      if (what === "revert") await this.#images.keep(await this.#look());
      if (done.length > 0) this.#decisions.push(decisionNote(evalId, what, names));
      return { done, failed };
    });
  }

  /** The person's decisions since the last call, in sentences for the model. */
  takeDecisions(): DiagnosticLine[] {
    const taken = this.#decisions;
    this.#decisions = [];
    return taken;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  async #look(): Promise<Manifest> {
    this.#manifest = await takeManifest(this.#options.roots(), this.#manifest);
    return this.#manifest;
  }

  #remember(evalId: string, found: readonly FileChange[], folders: Manifest["folders"]): void {
    const changes = new Map(found.map((each) => [this.#options.uriOf(each.path), each]));
    this.#undecided.set(evalId, { changes, folders });
    for (const oldest of this.#undecided.keys()) {
      if (this.#undecided.size <= REMEMBERED_EVALUATIONS) break;
      this.#undecided.delete(oldest);
    }
  }

  #incompleteNote(now: Manifest): DiagnosticLine[] {
    if (now.complete || this.#saidIncomplete) return [];
    this.#saidIncomplete = true;
    const message = `The workspace has more than ${MAX_FILES} files: changes to those beyond are not seen.`;
    return [{ severity: "information", message }];
  }

  #changeNote(found: readonly FileChange[]): DiagnosticLine {
    const named = found.slice(0, MAX_NAMED).map(({ kind, path }) => `${this.#shown(path)} (${kind})`);
    const more = found.length > MAX_NAMED ? ` and ${found.length - MAX_NAMED} more` : "";
    const files = found.length === 1 ? "a file" : `${found.length} files`;
    const message = `While this form ran, ${files} changed: ${named.join(", ")}${more}. The person can keep or revert that.`;
    return { severity: "warning", code: "filesChanged", message };
  }

  #shown(path: string): string {
    const root = this.#options.roots().find((folder) => path.startsWith(folder));
    return root === undefined ? path : relative(root, path);
  }
}

function decisionNote(evalId: string, what: "keep" | "revert", names: readonly string[]): DiagnosticLine {
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : "";
  const verb = what === "keep" ? "kept" : "reverted";
  const message = `The person ${verb} what changed while form ${evalId} ran: ${names.slice(0, MAX_NAMED).join(", ")}${more}.`;
  return { severity: "information", message };
}

function toWire(change: FileChange, uri: string): EvaluationChange {
  const reason = whyNotRevertible(change);
  const wire = { uri, kind: change.kind, canRevert: reason === undefined };
  return reason === undefined ? wire : { ...wire, reason };
}
