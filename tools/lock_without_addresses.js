// Remove the funding URLs from package-lock.json; npm has no setting for this.

import { readFileSync, writeFileSync } from "node:fs";

const lock = JSON.parse(readFileSync("package-lock.json", "utf-8"));
for (const found of Object.values(lock.packages)) delete found.funding;
writeFileSync("package-lock.json", `${JSON.stringify(lock, null, 2)}\n`);
