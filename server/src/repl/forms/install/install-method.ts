/** Turns a method that was written without its class into code that installs it in a class or object. */
import { inKernel } from "../../child/wire/kernel-call.ts";
import { callInModule, specOf } from "./install-code.ts";
import type { InstallSnippet, InstallTarget } from "./install-types.ts";
import type { InstallName } from "../../redefine/installation.ts";
import type { MethodForm } from "../../source/method-form.ts";
import { EMPTY_OUTLINE } from "../../source/outline-types.ts";
import { NO_CONTENTS } from "../scope-memory.ts";
import { namesOf, type WrittenForm } from "../scope-types.ts";
import { enterCode, type Snippet, type SnippetProblem } from "../snippet/snippet.ts";

const LITERAL = "(__agentq$p)=>({__proto__:__agentq$p,";

export function installMethod(
  { number, scope }: WrittenForm,
  method: MethodForm,
  target: InstallTarget,
): InstallSnippet | SnippetProblem {
  const { owner, member, isStatic, uses } = method;
  const label = `${owner}.${member}`;
  const [root = owner] = owner.split(".");
  if (scope.kind === "module" && !namesOf(scope).has(root))
    return { message: `${root} is not declared in ${target.path ?? ""}.` };
  if (member.startsWith("#")) {
    return { message: `${label}: a private method is fixed when its class is defined. Give the whole class instead.` };
  }
  if (member === "constructor") {
    return { message: `${label}: a constructor is fixed when its class is defined. Give the whole class instead.` };
  }
  const family = `${number}:${label}`;
  const following = uses.length > 0 ? method.following(family) : method.code;
  const isCrossing = following !== method.code;
  const code = following;
  const spec = { owner, member, isStatic, code, uses, sourceUrl: `repl:${number}`, ...(isCrossing ? { family } : {}) };
  const make = uses.length > 0 ? "" : `,${LITERAL}${code}\n})`;
  const key = member.startsWith("[") ? member.slice(1, -1) : JSON.stringify(member);
  const read = `${inKernel("member")}(${owner},${key},${isStatic},${JSON.stringify(owner)})`;
  const access = `({get:{${JSON.stringify(label)}:()=>${read}},set:{},run:${inKernel("same")}(async()=>{${method.before}${inKernel("method")}(${owner},${JSON.stringify(spec)}${make})})})`;
  const names: InstallName[] = [{ name: label, kind: "member", known: true }];
  const install = specOf(names, scope, target);
  const enter = enterCode(number);
  const sourceUrl = `//# sourceURL=repl:${number}`;
  const whole =
    scope.kind === "global"
      ? `${enter}await ${inKernel("install")}(${JSON.stringify(install)},${access})\n${sourceUrl}`
      : enter + callInModule(`${access}\n${sourceUrl}`, install, scope.url, number);
  const evaluated = uses.length > 0 ? `${LITERAL}${code}` : scope.kind === "global" ? whole : access;
  const start = evaluated.lastIndexOf(code);
  const mapper: Snippet["mapper"] = ({ line, column }) =>
    method.mapper({ line, column: line === 0 ? Math.max(0, column - start) : column });
  return { ...NO_CONTENTS, imports: false, code: whole, mapper, form: EMPTY_OUTLINE, installs: names, member: method };
}
