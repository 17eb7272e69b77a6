/**
 * Calls of the kernel as text. Evaluated code and the control worker call the kernel by its global name, so the
 * compiler does not check these calls. Calls made here are checked: a method that the kernel no longer has is a type
 * error.
 */
import type { Kernel } from "../main/kernel.ts";
import { KERNEL_NAME } from "./kernel-name.ts";

type Method = {
  [Name in keyof Kernel]: Kernel[Name] extends (...args: never[]) => unknown ? Name : never;
}[keyof Kernel];

/** `__agentq.page`, for calls whose arguments are expressions: `${inKernel("page")}(this[0])`. */
export function inKernel<Name extends keyof Kernel>(name: Name): `${typeof KERNEL_NAME}.${Name}` {
  return `${KERNEL_NAME}.${name}`;
}

/** `__agentq.peek("file:///a.ts",["total"])`: each argument is JSON. */
export function kernelCall<Name extends Method>(name: Name, ...args: Parameters<Kernel[Name]>): string {
  return `${inKernel(name)}(${args.map((each) => JSON.stringify(each)).join(",")})`;
}
