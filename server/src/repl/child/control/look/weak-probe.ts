/** The inspector's part in looking into weak collections: only the inspector can list their entries. */
import { inKernel } from "../../wire/kernel-call.ts";
import { callForObject, callHeld, type Ask, type Held } from "../inspector/inspector-call.ts";
import type { PageQuery, RawPage } from "../../wire/inquiry.ts";
import { propertiesOf } from "./probe.ts";
import type { Failure } from "../../wire/value-path.ts";

export async function withEntries(ask: Ask, held: Held, page: RawPage, query: PageQuery): Promise<RawPage> {
  const list = await entryList(ask, held);
  if (list === undefined) return page;
  const text = await callHeld<string>(ask, list, `function(q){return ${inKernel("weakEntries")}(this,q)}`, {
    value: query,
  });
  if (text === undefined) return page;
  const { members, total } = JSON.parse(text) as Pick<RawPage, "members" | "total">;
  // The collection's own properties are shown beside its entries.
  return { ...page, members, total, extras: [...page.members, ...page.extras] };
}

async function entryList(ask: Ask, held: Held): Promise<Held | undefined> {
  const { internal } = await propertiesOf(ask, held);
  const objectId = internal.find(({ name }) => name === "[[Entries]]")?.value?.objectId;
  return objectId === undefined ? undefined : { objectId };
}

const ENTRY = /^<(key )?(\d+)>$/;

/** Whether the step leads to an entry of a weak collection. */
export function isEntry(step: string): boolean {
  return ENTRY.test(step);
}

/** Undefined when the value is no weak collection: then the main thread follows the step. */
export async function openEntry(ask: Ask, held: Held, step: string): Promise<Held | Failure | undefined> {
  const isWeak = await callHeld<boolean>(ask, held, `function(){return ${inKernel("isWeak")}(this[0])}`);
  if (isWeak !== true) return undefined;
  const list = await entryList(ask, held);
  const [, key, index] = ENTRY.exec(step) ?? [];
  const next =
    list === undefined
      ? undefined
      : await callForObject(
          ask,
          list,
          `function(i,k){return ${inKernel("weakEntry")}(this,i,k)}`,
          { value: Number(index) },
          { value: key !== undefined },
        );
  return typeof next === "object" ? next : { why: "missing", reason: `There is no ${step} here.` };
}
