/** Lets a server listen at a free port of 127.0.0.1, and says which. */
export function listen(server) {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)))
}
