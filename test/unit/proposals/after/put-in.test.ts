import { expect, it } from "vitest";
import { Reviewer } from "../reviewer.ts";

it("leaves a hunk applied that another proposal put in, whatever an editor says of the first edit afterwards", async () => {
  const person = new Reviewer();
  person.open("a.ts", "one\ntwo\nthree\n");
  void person.propose(person.proposed("a.ts", "one\ntwo\nthree\n", "ONE\ntwo\nTHREE\n"));
  await expect.poll(() => person.told.length).toBe(1);
  const { proposalId } = person.proposal;
  await person.decide("h1", "accept");
  await person.store.reopen(proposalId, ["h1"]);
  await person.carryOut("h1", "edit", { newText: "own\n" });
  const first = () => person.store.open(proposalId).hunks[0];
  await expect.poll(first).toMatchObject({ state: "edited", newText: "own\n" });
  await person.store.review(proposalId).didApply([{ uri: person.uri("a.ts"), version: 2 }]);
  expect(first()).toMatchObject({ state: "edited", newText: "own\n" });
  expect(first()).not.toHaveProperty("conflict");
});
