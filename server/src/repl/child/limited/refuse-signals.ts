/**
 * Node's permission model does not cover signals: a confined image could end or pause any process of the same user, or
 * make a Node process open its inspector. These are the only functions that send signals. A program may still signal
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
    // Only a number is accepted, so that the value that was compared is the value that is passed on.
    if (typeof args[0] === "number" && args[0] === own) return original(owner, args);
    throw accessDenied(`another process, by ${way}`);
  });
}
