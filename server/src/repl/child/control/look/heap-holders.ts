/** Says in words who holds a value, by the ways that lead to the value through the heap. */
import type { Retainer } from "../../../redefine/installation.ts";
import type { HeapEdge, HeapGraph, HeapNode, HeapPlace, HeapReach } from "../inspector/heap-graph.ts";

export interface Scripts {
  /** The URL of a script. */
  readonly urlOf: (scriptId: string) => string;
  /** Whether a script is of the image itself. */
  readonly isOwn: (url: string) => boolean;
}

/** A snapshot, the ways through it, and the scripts that its places name. */
export interface Heap {
  readonly graph: HeapGraph;
  readonly reach: HeapReach;
  readonly scripts: Scripts;
}

const MAX_STEPS = 60;
const MOST_TOLD = 10;
const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
const CONTEXT = "system / Context";
const SCRIPT_CONTEXTS = "system / ScriptContextTable";
const GLOBAL = /^global\b/;
const OF_NODE = "node:";
/** Nodes that only store properties or elements: V8 lists the property or element itself, too. */
const BACKING = new Set(["elements", "properties", "bound_argument_0"]);

/** As one would write it, from the outside to the value. */
interface Way {
  readonly path: string;
  readonly note: string;
  /** The way came through variables of Node or of the image. */
  readonly isHidden?: true;
}

/** Undefined for holders that the program does not have: the image's own, and what only belongs to V8. */
export function heapHoldersOf(heap: Heap, target: number): Retainer[] {
  const found = new Map<string, Retainer>();
  for (const edge of heap.reach.holders(target)) {
    if (found.size === MOST_TOLD) break;
    const retainer = walk(heap, edge);
    if (retainer !== undefined) found.set(JSON.stringify(retainer), retainer);
  }
  return [...found.values()];
}

/** Goes out from the value until something has a name of its own: a function, a call, a timer, a top-level name. */
function walk(heap: Heap, start: HeapEdge): Retainer | undefined {
  const { reach } = heap;
  let way: Way = { path: "", note: "" };
  let edge: HeapEdge | undefined = start;
  for (let steps = 0; edge !== undefined && steps < MAX_STEPS; steps++) {
    const up = reach.up(edge.from.node);
    if (up !== undefined && isBacking(edge, up)) return undefined;
    const owner: Owner | undefined = edge.type === "context" ? ownerOf(heap, edge.from) : undefined;
    const end = endOf(heap, edge, owner, way) ?? topLevel(edge, up, way);
    if (end !== undefined) return end;
    // A variable of Node's own code or of the image's: what matters is who holds that variable.
    way = owner === undefined ? longer(way, edge, up) : { path: "", note: "", isHidden: true };
    edge = owner === undefined ? up : reach.up(owner.node);
  }
  return undefined;
}

/** `owner`: the function or call whose variable the edge is, where it is a variable. */
function endOf(heap: Heap, edge: HeapEdge, owner: Owner | undefined, way: Way): Retainer | undefined {
  const { graph, scripts } = heap;
  const { from, type } = edge;
  if (owner !== undefined && isUsers(owner, scripts)) {
    return { by: owner.by, what: said(edge, way), at: at(owner, scripts) };
  }
  const call = callOf(graph, from);
  if (call !== undefined && isUsers(call, scripts)) return { by: "call", what: "", at: at(call, scripts) };
  if (isTimer(graph, from, scripts)) return { by: "timer", what: timed(edge) };
  const self = type === "property" ? functionOf(graph, from) : undefined;
  if (self === undefined || !isUsers(self, scripts)) return undefined;
  return { by: "function", what: said(edge, way), at: at(self, scripts) };
}

function topLevel(edge: HeapEdge, up: HeapEdge | undefined, way: Way): Retainer | undefined {
  if (edge.type === "context" && up?.from.name === SCRIPT_CONTEXTS) return { by: "session", what: said(edge, way) };
  // What Node and the image have put there is not the program's.
  if (!GLOBAL.test(edge.from.name) || (way.isHidden === true && way.path === "")) return undefined;
  return { by: "global", what: said(edge, way) };
}

/** The path from the variable or property on. */
function said({ type, name }: HeapEdge, { path, note }: Way): string {
  return `${type === "property" ? accessor(name).replace(/^\./, "") : name}${path}${note}`;
}

function isUsers({ place }: Owner, { urlOf, isOwn }: Scripts): boolean {
  const url = urlOf(place.scriptId);
  return url !== "" && !url.startsWith(OF_NODE) && !isOwn(url);
}

function at({ name, place }: Owner, { urlOf }: Scripts): NonNullable<Retainer["at"]> {
  return { function: name, url: urlOf(place.scriptId), line: place.line, column: place.column };
}

function isTimer(graph: HeapGraph, { node, name }: HeapNode, { urlOf }: Scripts): boolean {
  if (name !== "Timeout" && name !== "Immediate") return false;
  return urlOf(graph.placeOf(node)?.scriptId ?? "").startsWith(OF_NODE);
}

function isBacking({ type, from }: HeapEdge, up: HeapEdge): boolean {
  if (type === "shortcut") return true;
  return (from.type === "array" || from.type === "hidden") && BACKING.has(up.name) && up.type === "internal";
}

/** A function, or a call of it. */
interface Owner {
  readonly by: "closure" | "call";
  readonly node: number;
  readonly name: string;
  readonly place: HeapPlace;
}

/** A generator, or a call of an async function, with the name and place of its function. */
function callOf(graph: HeapGraph, { node, name }: HeapNode): Owner | undefined {
  if (graph.held(node, "parameters_and_registers") === undefined) return undefined;
  const place = graph.placeOf(node);
  return place === undefined
    ? undefined
    : { by: "call", node, name: graph.held(node, "function")?.name ?? name, place };
}

function functionOf(graph: HeapGraph, { node, name, type }: HeapNode): Owner | undefined {
  const place = type === "closure" ? graph.placeOf(node) : undefined;
  return place === undefined ? undefined : { by: "closure", node, name, place };
}

/** The function, or the call, whose variables stand in that context. */
function ownerOf({ graph, reach }: Heap, context: HeapNode): Owner | undefined {
  let inner = context;
  for (let steps = 0; inner.name === CONTEXT && steps < MAX_STEPS; steps++) {
    const from = reach.up(inner.node)?.from;
    if (from === undefined) return undefined;
    const owner = callOf(graph, from) ?? functionOf(graph, from);
    if (owner !== undefined) return owner;
    inner = from;
  }
  return undefined;
}

function timed({ name, from }: HeapEdge): string {
  if (name === "_onTimeout" || name === "_onImmediate") return "its callback";
  return /args$/i.test(name) || from.type === "array" ? "its arguments" : "what it was set with";
}

/** One step out. */
function longer(way: Way, { type, name, from }: HeapEdge, up: HeapEdge | undefined): Way {
  const { path, note } = way;
  if (type === "element") return { ...way, path: `[${name}]${path}` };
  if (type === "property") return { ...way, path: `${accessor(name)}${path}` };
  if (from.type === "array" && up?.name === "table") {
    return { ...way, path: `${up.from.name === "Set" ? ".has(…)" : ".get(…)"}${path}` };
  }
  const more = noteOf(type, name, from.name);
  return more === undefined || note !== "" ? way : { ...way, note: ` (${more})` };
}

function noteOf(type: string, name: string, holder: string): string | undefined {
  if (name === "bound_function") return "a function that is bound to it";
  if (name === "bindings") return "what a function is bound to";
  if (holder === "system / PromiseReaction") return "what follows on the promise";
  if (holder === "system / JSProxy") return "behind a proxy";
  if (type === "internal" && name.includes(" / part of key ")) return "the key of a WeakMap";
  return undefined;
}

function accessor(name: string): string {
  const symbol = /^<symbol (.*)>$/.exec(name);
  if (symbol !== null) return `[Symbol(${symbol[1]})]`;
  const plain = name.replace(/^[gs]et (?=.)/, "");
  return /^#/.test(plain) || IDENTIFIER.test(plain) ? `.${plain}` : `[${JSON.stringify(plain)}]`;
}
