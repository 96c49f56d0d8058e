'use client';
import { useEffect, useState } from 'react';
import { locks } from 'lockkeeper';

export function Turn() {
  const [text, setText] = useState('waiting');
  useEffect(() => {
    locks.request('turn', ({ name }) => {
      setText(`holding ${name}`);
      window.result = name;
    });
  }, []);
  return <p>{text}</p>;
}
