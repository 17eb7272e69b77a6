/** The place that holds a traced function. */
import { captured, uncurried } from "../../shared/captured.ts";
import { HIDDEN_NAME, type Evaluator } from "../modules/module-scopes.ts";

export interface Slot {
  /** The expression that names the place in the module's scope. */
  readonly code: string;
  /** The object whose member the place is; undefined for a name of the module. */
  readonly owner: object | undefined;
  readonly get: () => unknown;
  readonly set: (value: unknown) => void;
}

/** A binding of the module, or a property of the binding's value. Throws a sentence when nothing can be replaced. */
export function slotOf(evaluator: Evaluator, path: readonly string[], address: string): Slot {
  const [said = "", ...behind] = path;
  // `default` means a nameless default export.
  const name = said === "default" ? HIDDEN_NAME : said;
  const read = evaluator(`()=>${name}`) as () => unknown;
  // The functions in `module.exports = { … }` have no name in the module.
  const exported = evaluator("()=>typeof module==='object'?module.exports:undefined") as () => unknown;
  const isExported = !isBound(read) && holderOf(exported(), said) !== undefined;
  if (!isExported && !isBound(read)) {
    throw new captured.Error(`${address} is not there yet: its declaration has not run.`);
  }
  const members = isExported ? path : behind;
  if (members.length === 0) {
    return { code: name, owner: undefined, get: read, set: evaluator(`v=>{${name}=v}`) as Slot["set"] };
  }
  let code = isExported ? "module.exports" : name;
  let owner: unknown = isExported ? exported() : read();
  for (let index = 0; index < members.length; index++) {
    const member = members[index] as string;
    const { holder, own } = memberOf(owner, member, address);
    code += `${holder === owner ? "" : ".prototype"}.${member}`;
    if (index < members.length - 1) {
      owner = own.value;
      continue;
    }
    if (own.writable !== true && own.configurable !== true) {
      throw new captured.Error(`${address}: ${member} cannot be replaced (it is frozen).`);
    }
    return {
      code,
      owner: holder,
      get: () => captured.getOwnPropertyDescriptor(holder, member)?.value as unknown,
      set: (value) => void captured.defineProperty(holder, member, { ...own, value }),
    };
  }
  throw new captured.Error(`${address} names nothing.`);
}

/** The object that has the member, and the member as it is there. Throws a sentence when it cannot be replaced. */
function memberOf(owner: unknown, member: string, address: string): { holder: object; own: PropertyDescriptor } {
  const holder = holderOf(owner, member);
  const own = holder === undefined ? undefined : captured.getOwnPropertyDescriptor(holder, member);
  if (holder === undefined || own === undefined) {
    const why = uncurried.startsWith(member, "#")
      ? "is private: nothing outside of its class reaches it. Trace a method that calls it"
      : "is not there at run time";
    throw new captured.Error(`${address}: ${member} ${why}.`);
  }
  if (own.get !== undefined || own.set !== undefined) {
    throw new captured.Error(`${address}: ${member} is a getter or setter, which cannot be traced.`);
  }
  return { holder, own };
}

function isBound(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

/** The value itself when it has the member, else the class's prototype when that has it. */
function holderOf(value: unknown, member: string): object | undefined {
  if (typeof value !== "function" && (typeof value !== "object" || value === null)) return undefined;
  if (captured.getOwnPropertyDescriptor(value, member) !== undefined) return value;
  const prototype =
    typeof value === "function" ? captured.getOwnPropertyDescriptor(value, "prototype")?.value : undefined;
  const isOwn = typeof prototype === "object" && prototype !== null;
  return isOwn && captured.getOwnPropertyDescriptor(prototype as object, member) !== undefined
    ? (prototype as object)
    : undefined;
}
