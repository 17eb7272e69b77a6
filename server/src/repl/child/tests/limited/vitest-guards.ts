/**
 * Node loads this first of all in the process of a confined vitest run and in each of its threads, before anything of the
 * project's. Without an inspector nothing finds the functions that are behind the guards.
 */
import { confineThreads } from "../../limited/confine-threads.ts";
import { guardBuiltins } from "../../limited/guards.ts";

const { permission } = process as unknown as { readonly permission: { readonly drop: (right: string) => void } };

confineThreads();
guardBuiltins();
permission.drop("inspector");
