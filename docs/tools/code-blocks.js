// @ts-check

const LANGUAGES = {
  http: 'HTTP',
  js: 'JavaScript',
  json: 'JSON',
  sh: 'Shell',
  text: 'Output',
  ts: 'TypeScript',
  tsx: 'TSX',
  typescript: 'TypeScript',
}

/** An option, or words with hyphens, outside of a tag, that fit on a phone. */
const HYPHENATED = /(?<![\w-])(?![\w-]{25})(?:-{1,2}\w+|\w+-\w+)(?:-\w+)*(?![\w-]|[^<>]*>)/g

/**
 * Gives each block of code a bar for its button, with the file name that the paragraph before it consists of, or else its
 * language. Lines that wrap keep their indentation. Short code in text, names and options are not broken, and a long call or
 * path is broken where a part of it begins.
 *
 * @param {string} content
 */
export function withBars(content) {
  return content
    .replaceAll(
      /(?:<p><code>([^<]+)<\/code>:<\/p>\s*)?<pre><code(?: class="(\w+)")?>/g,
      (_, file, language = 'text') =>
        `<pre><span class="bar">${file ?? LANGUAGES[language] ?? language}</span><code class="${language}">`,
    )
    .replaceAll(/<pre>.*?<\/pre>/gs, (block) =>
      block
        .replaceAll(/<span class="(hl-\d+)">(?=\w{1,24}<)/g, '<span class="$1 whole">')
        .replaceAll(
          /(?<=<br\/>|\n)(?:<[^>]*>)?( +)(?=\S).*?(?=<br\/>|\n|<\/code>)/g,
          (line, indent) => `<span style="--hang:${indent.length + 2}ch">${line}</span>`,
        ),
    )
    .replaceAll(/<code>(?=[^<]{1,24}<)/g, '<code class="short">')
    .replaceAll(/(?<=<code>[^<]*)[^<\s]{30,}(?=[^<]*<\/code>)/g, (word) =>
      word.replaceAll(/(?<=\w[(/:])(?=[\w&])/g, '<wbr>'),
    )
    .replaceAll(/<code(?! class="short).*?<\/code>/gs, (code) =>
      code.replaceAll(HYPHENATED, '<span class="whole">$&</span>'),
    )
}
