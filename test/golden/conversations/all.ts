/** The conversations, in the order of their transcripts' subjects. */
import type { Conversation } from "../conversation.ts";
import { bufferConversations } from "./buffers.ts";
import { fileConversations } from "./files.ts";
import { imageConversations } from "./image.ts";
import { longConversations } from "./long.ts";
import { orderConversations } from "./order.ts";
import { projectConversations } from "./project.ts";
import { proposalConversations } from "./proposals.ts";
import { turnConversations } from "./turns.ts";

export const conversations: readonly Conversation[] = [
  ...proposalConversations,
  ...fileConversations,
  ...bufferConversations,
  ...imageConversations,
  ...orderConversations,
  ...turnConversations,
  ...longConversations,
  ...projectConversations,
];
