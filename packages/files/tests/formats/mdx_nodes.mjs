// Compiles pages of MDX, whose paths are the lines of standard input, as a site does, and prints for
// each page the nodes of its tree that a translation keeps, or what is wrong with it.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';

const require = createRequire(`${process.cwd()}/page.js`);
const load = (name) => import(require.resolve(name));
const { createProcessor } = await load('@mdx-js/mdx');
const { default: gfm } = await load('remark-gfm');
const { default: frontmatter } = await load('remark-frontmatter');

const KEPT = new Set(['inlineCode', 'code', 'link', 'image', 'heading', 'strong', 'emphasis', 'tableCell']);

function described(node) {
  if (!node.type.startsWith('mdx')) {
    return KEPT.has(node.type) ? [node.type, node.value ?? node.url ?? ''] : null;
  }
  if (!node.type.includes('Jsx')) {
    return [node.type, node.value];
  }
  return [node.type, node.name, node.attributes.map((each) => [each.type, each.name])];
}

function collect(nodes) {
  return () => function walk(node) {
    const found = described(node);
    if (found) {
      nodes.push(JSON.stringify(found));
    }
    (node.children ?? []).forEach(walk);
  };
}

for (const path of readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  const nodes = [];
  // Docusaurus escapes the names of headings so.
  const value = readFileSync(path, 'utf8').replace(/^(#+ .*)(\{#[\w-]+\})\s*$/gm, '$1\\$2\n');
  const remarkPlugins = [gfm, [frontmatter, ['yaml', 'toml']], collect(nodes)];
  let error = null;
  try {
    await createProcessor({ remarkPlugins, format: 'mdx' }).process({ value, path });
  } catch (problem) {
    error = `${problem.line}: ${problem.message}`;
  }
  console.log(JSON.stringify({ error, nodes: nodes.sort() }));
}
