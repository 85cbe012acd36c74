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

/**
 * Gives each block of code a bar for its button, with the file name that the paragraph before it consists of, or else its
 * language. Lines that wrap keep their indentation. Short code in text is not broken.
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
    .replaceAll(
      /(?<=<br\/>)(?:<[^>]*>)?( +)(?=\S).*?(?=<br\/>|\n?<\/code>)/g,
      (line, indent) => `<span style="--hang:${indent.length + 2}ch">${line}</span>`,
    )
    .replaceAll(/<code>(?=[^<]{1,24}<)/g, '<code class="short">')
}
