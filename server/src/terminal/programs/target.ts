/** What the person names to be attached. */
import { isAlive } from "../../process/own-folder.ts";
import type { Address } from "./inspector-client.ts";

export type Target =
  | { readonly pid: number }
  /** `isTyped`: the person has typed the host, which may then be any. `isBare`: a number could be a process too. */
  | { readonly addresses: readonly Address[]; readonly isTyped: boolean; readonly isBare: boolean };

const LOOPBACK = ["127.0.0.1", "::1"];
const MAX_PORT = 65_535;
const MAX_PID = 4_194_304;

/** Undefined for what is neither. */
export function readTarget(word: string): Target | undefined {
  const [, bracketed, plain, digits = ""] = /^(?:(?:\[([\da-f:.]+)\]|([\w.-]*)):)?(\d{1,7})$/i.exec(word) ?? [];
  const number = Number(digits);
  const host = bracketed ?? plain;
  if (digits === "" || number === 0) return undefined;
  if (host === undefined && (number > MAX_PORT || isAlive(number)))
    return number > MAX_PID ? undefined : { pid: number };
  if (number > MAX_PORT) return undefined;
  const isTyped = host !== undefined && host !== "";
  return {
    addresses: (isTyped ? [host] : LOOPBACK).map((each) => ({ host: each, port: number })),
    isTyped,
    isBare: host === undefined,
  };
}
