import { strangersIn } from "./strangers-in.ts";

strangersIn(26, {});
