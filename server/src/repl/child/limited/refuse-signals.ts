/**
 * Node's permission model knows nothing of signals: a confined image could end or pause any process of the same user,
 * or make a Node among them open its inspector. These are the only functions that reach them. A program may still signal
 * itself.
 */
import os from "node:os";
import { replaceFunction } from "../shared/replace-function.ts";
import { accessDenied } from "./refusal.ts";

const WAYS = ["kill", "_kill", "_debugProcess", "_debugEnd"] as const;

export function refuseSignals(): void {
  for (const way of WAYS) guard(process, way);
  guard(os, "setPriority");
}

function guard(owner: object, way: string): void {
  const { pid: own } = process;
  replaceFunction(owner, way, (original) => (_, args) => {
    // A number and no other value: what is compared is what is handed on.
    if (typeof args[0] === "number" && args[0] === own) return original(owner, args);
    throw accessDenied(`another process, by ${way}`);
  });
}
