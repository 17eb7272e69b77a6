/**
 * Adds to what was installed whether an old value is still held, and by whom. Only a heap snapshot shows what functions keep
 * in variables of their own. The program stands still for a snapshot, 60 ms a megabyte: so it is taken of a small heap only,
 * and only where nothing else says who holds an old value.
 */
import { kernelCall } from "../../wire/kernel-call.ts";
import type { HeapProfiler, Runtime, Session } from "node:inspector";
import { getHeapStatistics } from "node:v8";
import type { InstalledName, Retainer } from "../../../redefine/installation.ts";
import { nudged } from "../inspector/inspector-call.ts";
import type { Inspector } from "../inspector/inspector-post.ts";
import { readHeap } from "../inspector/heap-graph.ts";
import { heapHoldersOf } from "./heap-holders.ts";
import { createScriptUrls } from "../inspector/script-urls.ts";
import type { HeldReport } from "../../main/redefine/held-values.ts";
import { withTimeLimit } from "../inspector/time-limit.ts";
import { OWN_FOLDER } from "../../shared/own-folder.ts";

/** Reading a snapshot takes up to ten times the heap's size of this thread's memory, which must not run out. */
const MOST_BYTES = Math.min(16 * 2 ** 20, getHeapStatistics().heap_size_limit / 12);
const PATIENCE_MS = 5000;
const GROUP = "old-copies";

export class OldCopies {
  readonly #session: Session;
  readonly #inspector: Inspector;
  readonly #scriptUrls: () => Promise<ReadonlyMap<string, string>>;

  constructor(session: Session, inspector: Inspector) {
    this.#session = session;
    this.#inspector = inspector;
    this.#scriptUrls = createScriptUrls(session, inspector.post, inspector.isStopping);
  }

  /** The names with what is known of their old values. */
  async addTo(names: readonly InstalledName[], { isHeld, heapBytes }: HeldReport): Promise<InstalledName[]> {
    const told = names.map((each) => {
      const held = each.isLookedFor === true ? isHeld[each.name] : undefined;
      return held === undefined ? each : { ...each, isHeld: held };
    });
    const isUnnamed = (each: InstalledName): boolean => each.isHeld === true && each.holders === undefined;
    if (heapBytes > MOST_BYTES || !told.some(isUnnamed)) return told;
    const found = (await withTimeLimit(PATIENCE_MS, this.#search())) ?? [];
    if (found.length === 0) return told;
    const order = Object.keys(isHeld);
    return told.map((each) => {
      if (!isUnnamed(each)) return each;
      const retainers = found[order.indexOf(each.name)];
      // The engine itself may hold a value for a little longer than the program does.
      if (retainers === undefined) return { ...each, isHeld: false };
      return retainers.length === 0 ? each : { ...each, retainers };
    });
  }

  /** In the order of the names; undefined for a value that is gone by now. */
  async #search(): Promise<(readonly Retainer[] | undefined)[]> {
    // Only what is enabled can be disabled, which makes V8 forget the ids.
    await this.#ask("HeapProfiler.enable");
    const text = await this.#snapshot();
    const ids = text === undefined ? [] : await this.#idsOfHeld();
    void this.#ask("Runtime.releaseObjectGroup", { objectGroup: GROUP });
    void this.#ask("HeapProfiler.disable");
    const urls = await this.#scriptUrls();
    if (text === undefined || ids.length === 0) return [];
    const graph = readHeap(text);
    const targets = ids.map((id) => id && graph.nodeOf(id));
    const reach = graph.reach(new Set(targets.filter((node) => node !== undefined)));
    const scripts = {
      urlOf: (id: string) => urls.get(id) ?? "",
      isOwn: (url: string) => url.startsWith(OWN_FOLDER),
    };
    return targets.map((node, index) => {
      if (ids[index] === undefined) return undefined;
      return node === undefined ? [] : heapHoldersOf({ graph, reach, scripts }, node);
    });
  }

  async #snapshot(): Promise<string | undefined> {
    const chunks: string[] = [];
    const onChunk = (message: { params: HeapProfiler.AddHeapSnapshotChunkEventDataType }): void =>
      void chunks.push(message.params.chunk);
    this.#session.on("HeapProfiler.addHeapSnapshotChunk", onChunk);
    const taken = await this.#ask("HeapProfiler.takeHeapSnapshot", { reportProgress: false });
    this.#session.off("HeapProfiler.addHeapSnapshotChunk", onChunk);
    return taken === undefined ? undefined : chunks.join("");
  }

  /** The ids that the snapshot gave to the held values, in the order of the names; undefined for a value that is gone by now. */
  async #idsOfHeld(): Promise<(number | undefined)[]> {
    const list = await this.#ask<Runtime.EvaluateReturnType>("Runtime.evaluate", {
      expression: kernelCall("heldNow"),
      objectGroup: GROUP,
      silent: true,
    });
    const members = await this.#ask<Runtime.GetPropertiesReturnType>("Runtime.getProperties", {
      objectId: list?.result.objectId ?? "",
      ownProperties: true,
    });
    const ids: (number | undefined)[] = [];
    for (const { name, value } of members?.result ?? []) {
      if (!/^\d+$/.test(name)) continue;
      const { objectId } = value ?? {};
      if (objectId === undefined) {
        ids.push(undefined);
        continue;
      }
      const id = await this.#ask<HeapProfiler.GetHeapObjectIdReturnType>("HeapProfiler.getHeapObjectId", { objectId });
      ids.push(Number(id?.heapSnapshotObjectId));
    }
    return ids;
  }

  async #ask<T>(method: string, params: object = {}): Promise<T | undefined> {
    const { post, isStopping } = this.#inspector;
    return isStopping() ? undefined : (await nudged(post, isStopping, post<T>(method, params))).result;
  }
}
