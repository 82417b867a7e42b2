/** Does `work` for 0 to `count` - 1, so many at a time. */
export async function atOnce(count: number, lanes: number, work: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
