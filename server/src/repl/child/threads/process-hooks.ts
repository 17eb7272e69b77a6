/** The program that a forked Node process of the project's code runs first. */
import { startRelay } from "./start-relay.ts";
import "./thread-hooks.ts";
import { hookForks, SOCKET_VARIABLE } from "./hook-forks.ts";

const extension = import.meta.url.slice(import.meta.url.lastIndexOf("."));
const socket = process.env[SOCKET_VARIABLE] ?? "";
delete process.env[SOCKET_VARIABLE];
startRelay(new URL(`./relay${extension}`, import.meta.url).href, socket);
hookForks(import.meta.url, () => socket);
