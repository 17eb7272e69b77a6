/** `GET /price?item=atlas:2&item=pen&coupon=SPRING` answers what the order costs. */
import { createServer } from "node:http";
import { coupons } from "./catalog.ts";
import { price, type Item } from "./price.ts";

let answered = 0;

const server = createServer((request, response) => {
  const { searchParams } = new URL(request.url ?? "/", "http://localhost");
  const items = searchParams.getAll("item").map((text): Item => {
    const [name = "", count = "1"] = text.split(":");
    return { name, count: Number(count) };
  });
  const cents = price(items, coupons[searchParams.get("coupon") ?? ""]);
  answered += 1;
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ cents, answered }));
});

server.listen(Number(process.env["PORT"] ?? 0), "127.0.0.1", () => {
  console.log(`orders: http://127.0.0.1:${server.address().port}/price?item=atlas:2&coupon=SPRING`);
});
