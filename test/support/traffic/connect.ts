/** What an editor starts as its server: connects it with the recording that a test replays on a socket. */
import { connect } from "node:net";

const [, , path = ""] = process.argv;
const socket = connect(path);
process.stdin.pipe(socket);
socket.pipe(process.stdout);
socket.on("error", () => process.exit(1));
