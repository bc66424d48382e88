// What schema_bench does, with JSON.parse and ajv in Node: the peer of "parse and full validation".
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';

const require = createRequire(new URL('../../test/conformance/schema/package.json', import.meta.url));
const Ajv = require('ajv/dist/2020.js').default;
const read = (name) => readFileSync(new URL(name, import.meta.url), 'utf8');

const accepts = new Ajv({allowUnionTypes: true}).compile(JSON.parse(read('schema.json')));
const text = read('message.json').trimEnd();
if (accepts(JSON.parse(text.replace('coder-7', 'Coder-7')))) throw new Error('a broken message was accepted');

// Processor time, of several rounds the least: what the machine does meanwhile only adds.
const count = 100_000;
let best = Infinity;
for (let round = 0; round < 10; ++round) {
  const began = process.cpuUsage();
  for (let i = 0; i < count; ++i) {
    if (!accepts(JSON.parse(text))) throw new Error('refused');
  }
  const {user, system} = process.cpuUsage(began);
  best = Math.min(best, (user + system) * 1000 / count);
}
console.log(`JSON.parse and ajv: ${best.toFixed(0)} ns a message`);
