// Verifies a ledger outside of the page, so that the page stays responsive; see verify_cup.js.

import { verify } from "./verification.js";

addEventListener("message", async ({ data }) => {
  try {
    postMessage({ report: await verify(data, (done) => postMessage({ done })) });
  } catch (error) {
    postMessage({ error: error instanceof Error ? error.message : String(error) });
  }
});
