/**
 * The facts about a value that only the inspector can read: private fields, the value of a promise, the target of a
 * proxy, the place of a function. The inspector is asked about single small values only, because a big value would take
 * seconds.
 */
import { inKernel } from "../../wire/kernel-call.ts";
import type { Runtime } from "node:inspector";
import { callForObject, callHeld, UNSEEN, type Argument, type Ask, type Held } from "../inspector/inspector-call.ts";
import type { RawMember, RawPage, SourcePlace } from "../../wire/inquiry.ts";
import type { Brief } from "../../shared/print/brief-text.ts";
import type { Failure } from "../../wire/value-path.ts";

/** A value with more members is not small: `Runtime.getProperties` takes time for each member. */
const SMALL = 200;
/** A limit, because some libraries put one proxy around another. */
const MOST_PROXIES = 10;
const MAX_PRIVATE = 50;

/** Node's types do not have private properties. */
interface Private {
  readonly name: string;
  readonly value?: Runtime.RemoteObject;
  readonly get?: Runtime.RemoteObject;
  readonly set?: Runtime.RemoteObject;
}

type Internal = Runtime.InternalPropertyDescriptor;

/** Whether only the inspector can follow the step. */
export function isProbed(step: string): boolean {
  return /^#./.test(step) || INTERNALS[step] !== undefined;
}

/** The page with what the inspector adds to it. */
export async function probe(ask: Ask, held: Held, page: RawPage): Promise<RawPage> {
  if (page.total > SMALL) return page;
  const { internal, privates } = await propertiesOf(ask, held);
  const inner = (name: string): Runtime.RemoteObject | undefined => internal.find((each) => each.name === name)?.value;
  const extras: RawMember[] = await privateMembers(ask, held, privates);
  const facts: (readonly [string, string])[] = [];
  const add = async (name: string, step: string): Promise<void> => {
    const value = inner(name);
    if (value === undefined) return;
    const [brief] = await briefs(ask, held, [value]);
    if (brief !== undefined) extras.push({ step, name: step, kind: "internal", ...brief });
  };
  if (page.probe === "promise") {
    const state = inner("[[PromiseState]]")?.value as unknown;
    if (typeof state === "string") facts.push(["promise", state]);
    if (state !== "pending") await add("[[PromiseResult]]", "<result>");
  }
  if (page.probe === "proxy") {
    if (inner("[[IsRevoked]]")?.value === true) facts.push(["revoked", "yes"]);
    await add("[[Target]]", "<target>");
    await add("[[Handler]]", "<handler>");
    const preview = await behind(ask, held, internal);
    if (preview !== undefined) return { ...page, preview, facts: [...facts, ...page.facts], extras };
  }
  await add("[[WeakRefTarget]]", "<target>");
  if (page.probe === "function") {
    await add("[[TargetFunction]]", "<target>");
    await add("[[BoundThis]]", "<this>");
  }
  if (page.probe === "generator") {
    const state = inner("[[GeneratorState]]")?.value as unknown;
    if (typeof state === "string") facts.push(["generator", state]);
  }
  return { ...page, facts: [...facts, ...page.facts], extras: [...extras, ...page.extras] };
}

/** The target and the handler of the proxy, in one line. */
async function behind(ask: Ask, held: Held, internal: readonly Internal[]): Promise<string | undefined> {
  const ends = ["[[Target]]", "[[Handler]]"].map((name) => internal.find((each) => each.name === name)?.value);
  const [target, handler] = ends;
  if (target?.objectId === undefined || handler?.objectId === undefined) return undefined;
  const declaration = `function(target,handler){return ${inKernel("proxied")}(target,handler)}`;
  return callHeld<string>(ask, held, declaration, argumentOf(target), argumentOf(handler));
}

/** The line of a proxy; undefined for any other value, and for a revoked proxy. */
export async function proxyLine(ask: Ask, held: Held): Promise<string | undefined> {
  return behind(ask, held, (await propertiesOf(ask, held)).internal);
}

const INTERNALS: Readonly<Record<string, string>> = {
  "<target>": "[[Target]]",
  "<handler>": "[[Handler]]",
  "<result>": "[[PromiseResult]]",
  "<this>": "[[BoundThis]]",
};

const OTHER_TARGETS = new Set(["[[TargetFunction]]", "[[WeakRefTarget]]"]);

/** Follows a step that only the inspector can follow. */
export async function openProbed(ask: Ask, held: Held, step: string): Promise<Held | Failure> {
  const { internal, privates } = await propertiesOf(ask, held);
  const missing: Failure = { why: "missing", reason: `There is no ${step} here.` };
  if (step.startsWith("#")) {
    const found = privates.find(({ name }) => name === step);
    if (found?.get !== undefined || found?.set !== undefined) {
      return { why: "getter", reason: `${step} is a getter, which is not called by looking.` };
    }
    return found?.value === undefined ? missing : hold(ask, held, found.value);
  }
  const target = internal.find(
    ({ name }) => name === INTERNALS[step] || (step === "<target>" && OTHER_TARGETS.has(name)),
  );
  return target?.value === undefined ? missing : hold(ask, held, target.value);
}

/** The result of awaiting the value: the value of a fulfilled promise, or any other value itself. */
export async function openPromise(ask: Ask, held: Held): Promise<Held | Failure> {
  const { internal } = await propertiesOf(ask, held);
  const state = internal.find(({ name }) => name === "[[PromiseState]]")?.value?.value as string | undefined;
  if (state === undefined) return held;
  if (state === "fulfilled") return openProbed(ask, held, "<result>");
  return { why: "missing", reason: `The promise is ${state}.` };
}

/** The target of a proxy, or the innermost target when the target is a proxy too; any other value itself. */
export async function openProxy(ask: Ask, held: Held, left: number = MOST_PROXIES): Promise<Held | Failure> {
  const { internal } = await propertiesOf(ask, held);
  const target = internal.find(({ name }) => name === "[[Target]]")?.value;
  if (target === undefined || left === 0) return held;
  if (target.objectId === undefined) return { why: "missing", reason: "The proxy is revoked." };
  const next = await hold(ask, held, target);
  return "why" in next ? next : openProxy(ask, next, left - 1);
}

export async function functionPlace(
  ask: Ask,
  held: Held,
  scripts: ReadonlyMap<string, string>,
): Promise<SourcePlace | undefined> {
  const { internal } = await propertiesOf(ask, held);
  const place = internal.find(({ name }) => name === "[[FunctionLocation]]")?.value?.value as
    | { scriptId: string; lineNumber: number; columnNumber?: number }
    | undefined;
  const url = place === undefined ? undefined : scripts.get(place.scriptId);
  if (place === undefined || url === undefined || url === "") return undefined;
  return { url, line: place.lineNumber, column: place.columnNumber ?? 0 };
}

/** The inspector's answer about a small value. */
export async function propertiesOf(
  ask: Ask,
  held: Held,
): Promise<{ internal: readonly Internal[]; privates: readonly Private[] }> {
  const none = { internal: [], privates: [] };
  // The kernel tells the size, because the last step of a path has no page yet.
  const isSmall = await callHeld<boolean>(ask, held, `function(){return ${inKernel("isSmall")}(this[0],${SMALL})}`);
  if (isSmall !== true) return none;
  const self = await callForObject(ask, held, "function(){return this[0]}");
  if (typeof self !== "object") return none;
  const { objectId } = self;
  const reply = await ask<Runtime.GetPropertiesReturnType & { privateProperties?: Private[] }>(
    "Runtime.getProperties",
    {
      objectId,
      ownProperties: true,
    },
  );
  return { internal: reply?.internalProperties ?? [], privates: reply?.privateProperties ?? [] };
}

async function privateMembers(ask: Ask, held: Held, privates: readonly Private[]): Promise<RawMember[]> {
  const shown = privates.slice(0, MAX_PRIVATE);
  const valued = shown.filter(({ value }) => value !== undefined);
  const described = await briefs(
    ask,
    held,
    valued.map(({ value }) => value as Runtime.RemoteObject),
  );
  return shown.map((each): RawMember => {
    const brief = described[valued.indexOf(each)];
    if (brief !== undefined) return { step: each.name, name: each.name, kind: "private", ...brief };
    const preview = each.get === undefined ? "[setter]" : each.set === undefined ? "[getter]" : "[getter, setter]";
    return { name: each.name, kind: "private", preview, type: "accessor" };
  });
}

async function briefs(ask: Ask, held: Held, values: readonly Runtime.RemoteObject[]): Promise<readonly Brief[]> {
  if (values.length === 0) return [];
  const declaration = `function(...values){return ${inKernel("briefs")}(values)}`;
  const text = await callHeld<string>(ask, held, declaration, ...values.map(argumentOf));
  return text === undefined ? [] : (JSON.parse(text) as Brief[]);
}

async function hold(ask: Ask, held: Held, value: Runtime.RemoteObject): Promise<Held | Failure> {
  const next = await callForObject(ask, held, "function(v){return [v]}", argumentOf(value));
  return typeof next === "object" ? next : UNSEEN;
}

function argumentOf({ objectId, value, unserializableValue, type }: Runtime.RemoteObject): Argument {
  if (objectId !== undefined) return { objectId };
  if (unserializableValue !== undefined) return { unserializableValue };
  return type === "undefined" ? {} : { value: value as unknown };
}
