// Writes pairs of schema and instance with ajv's verdict, one JSON object a line, for the comparison in compare.cpp:
//   {"schema": …, "documents": {uri: schema}, "instances": […], "valid": […], "known"?: "reason"}
// The same seed always gives the same pairs. `node generate.mjs --pairs 100000 --seed 1 --profiles spec/profiles`
import fs from 'node:fs';
import path from 'node:path';
import {parseArgs} from 'node:util';
import Ajv from 'ajv/dist/2020.js';

const {values: options} = parseArgs({options: {
  pairs: {type: 'string', default: '100000'},
  seed: {type: 'string', default: '1'},
  profiles: {type: 'string'},
}});

// --- chance

let state = Number(options.seed) >>> 0;
function random() {  // mulberry32
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
const below = (n) => Math.floor(random() * n);
const pick = (list) => list[below(list.length)];
const chance = (p) => random() < p;
const several = (most, make) => Array.from({length: below(most + 1)}, make);

// What is left out because ajv gets it wrong: a required member named "" (never missed), multiples of numbers from 1e21
// on (parseInt reads their text), `contains` beside `prefixItems` (passes []), `if`
// without a `then` or `else` that constrains (ignored, also its annotations), fractions that binary does not hold exactly (0.0075 is a multiple of 0.0001).

// --- instances

const names = ['a', 'b', 'c', 'id', 'type', 'a_rather_long_name', 'a_rather_long_nose', 'é', '', 'x-1'];
const named = names.filter((name) => name !== '');
const strings = ['', 'a', 'b', 'ab', 'abc', '1', '12', 'x-1', 'é', '😀', '😀é', 'task.request', 'task.result', 'A1', 'hello world',
  'a\nb', 'a_rather_long_name', '0123456789abcdef', '2026-11-21'];
const numbers = [0, 1, -1, 2, 3, 5, 10, 100, 1.5, -0.5, 0.25, 2.5, 1e3, 4294967296, -2147483648, 9007199254740991, -1e15];

function scalar() {
  return pick([() => null, () => chance(0.5), () => pick(numbers), () => pick(numbers), () => pick(strings), () => pick(strings)])();
}
function value(depth) {
  if (depth === 0 || chance(0.4)) return scalar();
  if (chance(0.4)) return several(4, () => value(depth - 1));
  return Object.fromEntries(several(4, () => [pick(names), value(depth - 1)]));
}

// --- schemas

const patterns = ['^a', 'b$', '^[a-z]+$', '^[a-z]{2,3}$', '\\d', '^\\w+$', 'a|b', '^(a|b)+$', '[^a-z]', '^.$', '^x-', '\\s', '^[a-z0-9][a-z0-9._-]{0,9}$',
  '^\\p{L}+$', '^[^\\s]*$', '^task\\.(request|result)$', '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', '^\\u{1F600}', '^a?b*c{0,1}$', 'a.b'];
const types = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'];
const definitions = 3;

// `free`: the first definition that may be referred to here without the instance being entered (0: any).
const keywords = {
  type: () => chance(0.7) ? pick(types) : [...new Set([pick(types), pick(types)])],
  const: () => value(1),
  enum: () => unique([value(1), ...several(6, () => scalar())]),
  minimum: () => pick(numbers), maximum: () => pick(numbers),
  exclusiveMinimum: () => pick(numbers), exclusiveMaximum: () => pick(numbers),
  multipleOf: () => pick([1, 2, 3, 0.5, 0.25]),
  minLength: () => below(4), maxLength: () => below(12),
  pattern: () => pick(patterns),
  minItems: () => below(3), maxItems: () => below(5), uniqueItems: () => chance(0.8),
  prefixItems: (d) => [schema(d - 1, 0), ...several(2, () => schema(d - 1, 0))],
  items: (d) => schema(d - 1, 0),
  contains: (d) => schema(d - 1, 0),
  minContains: () => below(3), maxContains: () => 1 + below(3),
  minProperties: () => below(3), maxProperties: () => below(5),
  required: () => [...new Set(several(3, () => pick(named)))],
  properties: (d) => members(4, () => schema(d - 1, 0)),
  patternProperties: (d) => Object.fromEntries(several(2, () => [pick(patterns), schema(d - 1, 0)])),
  additionalProperties: (d) => chance(0.5) ? chance(0.3) : schema(d - 1, 0),
  propertyNames: (d) => schema(d - 1, 0),
  dependentRequired: () => members(2, () => [...new Set(several(2, () => pick(named)))]),
  dependentSchemas: (d, free) => members(2, () => schema(d - 1, free)),
  allOf: (d, free) => [schema(d - 1, free), ...several(2, () => schema(d - 1, free))],
  anyOf: (d, free) => [schema(d - 1, free), ...several(2, () => schema(d - 1, free))],
  oneOf: (d, free) => [schema(d - 1, free), ...several(2, () => schema(d - 1, free))],
  not: (d, free) => schema(d - 1, free),
  if: (d, free) => schema(d - 1, free), then: (d, free) => schema(d - 1, free), else: (d, free) => schema(d - 1, free),
  $ref: (d, free) => free < definitions ? pick([`#/$defs/d${free + below(definitions - free)}`, `#d${free + below(definitions - free)}`]) : undefined,
  unevaluatedProperties: (d) => chance(0.6) ? false : schema(d - 1, 0),
  unevaluatedItems: (d) => chance(0.6) ? false : schema(d - 1, 0),
};
const groups = [
  ['type'], ['type'], ['const'], ['enum'], ['minimum', 'maximum'], ['exclusiveMinimum', 'exclusiveMaximum'], ['multipleOf', 'type'],
  ['minLength', 'maxLength'], ['pattern'], ['minItems', 'maxItems'], ['uniqueItems'], ['prefixItems', 'items'], ['items'],
  ['contains', 'minContains', 'maxContains'], ['minProperties', 'maxProperties'], ['required'], ['properties', 'required'],
  ['properties', 'additionalProperties'], ['properties', 'patternProperties', 'additionalProperties'], ['propertyNames'],
  ['dependentRequired'], ['dependentSchemas'], ['allOf'], ['anyOf'], ['oneOf'], ['not'], ['if', 'then', 'else'], ['$ref'],
  ['unevaluatedProperties', 'properties', 'anyOf'], ['unevaluatedItems', 'prefixItems'], ['unevaluatedProperties', 'if', 'then', 'allOf'],
];
const nested = new Set(['prefixItems', 'items', 'contains', 'properties', 'patternProperties', 'propertyNames', 'dependentSchemas', 'allOf', 'anyOf',
  'oneOf', 'not', 'if', 'then', 'else']);

function members(most, make) {
  return Object.fromEntries(several(most, () => [pick(names), make()]));
}
function unique(list) {
  return [...new Map(list.map((v) => [JSON.stringify(v), v])).values()];
}
function schema(depth, free) {
  if (depth < 0 || chance(0.04)) return chance(0.8);
  const made = {};
  for (let n = 1 + below(3); n > 0; --n) {
    for (const keyword of pick(groups)) {
      if (keyword.startsWith('uneval') && !with_unevaluated) continue;
      if (keyword in made || (depth === 0 && nested.has(keyword)) || chance(0.15)) continue;
      const content = keywords[keyword](depth, free);
      if (content !== undefined) made[keyword] = content;
    }
  }
  if ('prefixItems' in made) delete made.contains;
  if (!constrains(made.then) && !constrains(made.else)) delete made.if;
  return made;
}
const constrains = (s) => s === false || (typeof s === 'object' && Object.keys(s).length > 0);
let with_unevaluated = false;  // in few schemas, so that ajv's faults there excuse few pairs
function whole() {
  with_unevaluated = chance(0.25);
  const root = schema(3, 0);
  if (typeof root === 'boolean') return {not: root ? {} : true};
  root.$defs = {};
  for (let i = 0; i < definitions; ++i) {
    const definition = schema(2, i + 1);
    root.$defs[`d${i}`] = typeof definition === 'boolean' ? {$anchor: `d${i}`, not: {}} : {...definition, $anchor: `d${i}`};
  }
  return root;
}

// An instance that leans towards what the schema asks for.
function towards(s, root, depth) {
  if (typeof s === 'boolean' || depth < 0 || chance(0.15)) return value(2);
  if (s.$ref) return towards(root.$defs[s.$ref.slice(-2)], root, depth - 1);
  if ('const' in s) return s.const;
  if (s.enum) return pick(s.enum);
  for (const keyword of ['allOf', 'anyOf', 'oneOf']) if (s[keyword] && chance(0.5)) return towards(pick(s[keyword]), root, depth - 1);
  const type = s.type ? [s.type].flat()[0] : s.properties || s.required || s.unevaluatedProperties !== undefined ? 'object'
    : s.items !== undefined || s.prefixItems || s.contains !== undefined || s.uniqueItems ? 'array'
    : s.minimum !== undefined || s.maximum !== undefined || s.multipleOf ? 'number'
    : s.pattern || s.minLength || s.maxLength ? 'string' : pick(types);
  switch (type) {
    case 'null': return null;
    case 'boolean': return chance(0.5);
    case 'integer': return pick(numbers.filter(Number.isInteger));
    case 'number': return chance(0.5) && s.minimum !== undefined ? s.minimum : pick(numbers);
    case 'string': return pick(strings);
    case 'array': return Array.from({length: (s.minItems ?? 0) + below(3)},
      (_, i) => towards((s.prefixItems ?? [])[i] ?? s.items ?? s.contains ?? true, root, depth - 1));
  }
  const object = {};
  for (const name of s.required ?? []) object[name] = towards((s.properties ?? {})[name] ?? true, root, depth - 1);
  for (const [name, sub] of Object.entries(s.properties ?? {})) if (chance(0.7)) object[name] = towards(sub, root, depth - 1);
  if (chance(0.3)) object[pick(names)] = scalar();
  return object;
}

// --- ajv

const make = () => new Ajv({strict: false, logger: false, validateFormats: false, unicodeRegExp: true, allErrors: false, inlineRefs: false, validateSchema: false, meta: false});

// Where ajv is known to differ from the specification. Under `not`, `if` and `oneOf` a verdict too many may become one too
// few, so that the reason holds in both directions.
function known(root) {
  if (any_schema(root, (s) => ('unevaluatedProperties' in s || 'unevaluatedItems' in s) && keeps_failed(s, root, undefined, 8)))
    return 'ajv: what a failed branch evaluated as a whole stays evaluated';
  const text = JSON.stringify(root);
  if (text.includes('"unevaluatedItems"') && text.includes('"contains"'))
    return 'ajv: unevaluatedItems does not see which elements `contains` matched';
  return undefined;
}
function any_schema(s, test) {
  if (s === null || typeof s !== 'object') return false;
  return (!Array.isArray(s) && test(s)) || Object.values(s).some((sub) => any_schema(sub, test));
}
// Whether an applicator that may fail without failing the schema holds, on the same instance, a keyword that evaluates:
// of all members or elements under any such applicator, of some under `if`.
const of_all = ['additionalProperties', 'unevaluatedProperties', 'items', 'unevaluatedItems'];
const of_some = [...of_all, 'properties', 'patternProperties', 'prefixItems'];
function keeps_failed(s, root, kept, depth) {
  if (typeof s !== 'object' || depth === 0) return false;
  if (kept && kept.some((keyword) => keyword in s)) return true;
  const below = (list, now) => list.some((sub) => sub !== undefined && keeps_failed(sub, root, kept ?? now, depth - 1));
  return below([s.if], of_some) || below([...(s.anyOf ?? []), ...(s.oneOf ?? []), s.not], of_all)
    || below([...(s.allOf ?? []), s.then, s.else, ...Object.values(s.dependentSchemas ?? {}), s.$ref && root.$defs[s.$ref.slice(-2)]]);
}

function write(line) {
  fs.writeSync(1, JSON.stringify(line) + '\n');
}

function random_pairs(pairs) {
  const each = 25;
  for (let done = 0; done < pairs;) {
    const root = whole();
    let validate;
    try {
      validate = make().compile(root);
    } catch (error) {
      if (error instanceof RangeError) continue;
      throw new Error(`ajv refuses ${JSON.stringify(root)}: ${error.message}`);
    }
    const instances = Array.from({length: each}, () => chance(0.75) ? towards(root, root, 5) : value(3));
    try {
      write({schema: root, documents: {}, instances, valid: instances.map((i) => validate(i)), known: known(root)});
      done += each;
    } catch (error) {
      if (!(error instanceof ReferenceError)) throw error;  // ajv generated code that does not run
    }
  }
}

// --- profiles: every schema with every message of its profile

function files(folder) {
  if (!fs.existsSync(folder)) return [];
  return fs.readdirSync(folder, {withFileTypes: true}).sort((a, b) => (a.name < b.name ? -1 : 1)).flatMap((entry) => {
    const at = path.join(folder, entry.name);
    return entry.isDirectory() ? files(at) : at.endsWith('.json') ? [at] : [];
  });
}
const read = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));

// An example is a message; a refusal or a warning holds one, beside what is expected of it.
function messages(profile) {
  const within = ['refusals', 'warnings'].flatMap((folder) => files(path.join(profile, folder))).map((file) => read(file).message);
  return [...files(path.join(profile, 'examples')).map(read), ...within];
}

function profile_pairs(root) {
  const profiles = fs.readdirSync(root, {withFileTypes: true}).filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  for (const profile of profiles.sort()) {
    const schemas = files(path.join(root, profile, 'schemas'));
    const uri = (file) => 'profile:///' + path.relative(root, file);
    const documents = Object.fromEntries(schemas.map((file) => [uri(file), read(file)]));
    const instances = messages(path.join(root, profile));
    for (const file of schemas) {
      const ajv = make();
      for (const [id, document] of Object.entries(documents)) ajv.addSchema(document, document.$id ?? id);
      const validate = ajv.getSchema(documents[uri(file)].$id ?? uri(file));
      write({base: uri(file), schema: documents[uri(file)], documents, instances, valid: instances.map((i) => validate(i))});
    }
  }
}

if (options.profiles) profile_pairs(options.profiles);
random_pairs(Number(options.pairs));
