/** Posts a message to the inspector session on the main thread, and gives the reply. */

export type Reply<T> = { readonly error: Error | null; readonly result: T | undefined };
export type Post = <T>(method: string, params?: object) => Promise<Reply<T>>;

export interface Inspector {
  readonly post: Post;
  /** While this is true, nothing else may be posted: a termination could hit the message in place of the program. */
  readonly isStopping: () => boolean;
}
