/**
 * Ways out of a wall, as scripts of the shell: harmless where there is no wall, and then they print CANARY or leave a trace. `$OUT` is a folder outside of the project, beside it; `$SOCKET`, `$ABSTRACT` and
 * `$PORT` are places where somebody outside listens, `$OUTSIDER` and `$SERVER` are processes outside. Some scripts are Node's.
 */

const node = (code: string): string => `node -e '${code}'`;

export const readings: Readonly<Record<string, string>> = {
  "a file with secrets": "cat .env",
  "a file with secrets in a folder": "cat packages/a/.env.local packages/a/server.pem",
  "a folder with secrets": "cat .aws/credentials; ls -R .aws",
  "a link to a file with secrets": "cat to-env",
  "a link to a link": "cat chain/to-env chain/a/.env.local",
  "a package of the workspace by its link": "cat node_modules/@ws/a/.env.local",
  "a copy of the project": "cp -a . /tmp/copy; cat /tmp/copy/.env /tmp/copy/packages/a/.env.local",
  "an archive of the project": "tar c . | tr -d '\\0'",
  "a hard link to a file with secrets": "ln .env plain; cat plain",
  "a file with secrets under another name": "mv .env plain; cat plain",
  "a folder moved with its secrets": "mv packages moved; cat moved/a/.env.local",
  "a file outside": 'cat "$OUT/outside.txt"; ls "$OUT"',
  "a file outside by a relative path": "cat ../*/outside.txt",
  "a link that leads outside": 'cat leads-out; ln -s "$OUT" own; cat own/outside.txt',
  "the home folder": 'ls -a ~; cat ~/.ssh/id_ed25519 ~/.bash_history "$REAL_HOME"/.ssh/id_ed25519',
  "the root folder of another process": 'for p in /proc/[0-9]*; do cat "$p/root$OUT/outside.txt" "$p/cwd/.env"; done',
  "the environments of all processes": "cat /proc/*/environ | tr '\\0' '\\n'",
  "the command lines of processes outside": 'cat "/proc/$OUTSIDER/cmdline" "/proc/$OUTSIDER/environ"',
  "the layers below the overlay":
    "cat /proc/self/mountinfo; ls $(sed -n 's/.*lowerdir=\\([^,]*\\).*/\\1/p' /proc/self/mountinfo)",
  "the folder that holds the layer": 'ls "$LAYER" "$LAYER/0" "$LAYER/0/lower"; cat "$LAYER/0/lower/.env"',
  "passwords of the machine": "cat /etc/shadow /etc/gshadow /etc/sudoers /etc/ssh/*_key && echo CANARY",
  "what only root may read":
    "find /etc -type f ! -perm -004 -exec sh -c 'head -c 1 \"$1\" | grep -q . && echo CANARY' sh {} \\;",
  // Files of this minute alone: toolchains, which may be read, hold gigabytes.
  "any file at all":
    "find / \\( -path /proc -o -path /usr -o -path /opt \\) -prune -o -type f -mmin -60 -exec grep -slE 'CANARY-(env|aws|package|key|outside|ssh|bashrc)' {} + | sed 's/$/ CANARY/'",
  "the memory of the machine": "head -c 100 /dev/mem /dev/kmem /proc/kcore && echo CANARY",
  "a disk of the machine":
    "ls /dev | grep -E '^(sd|vd|nvme|loop|dm-)' | sed 's/$/ CANARY/'; mknod d b 8 0 && head -c 1 d && echo CANARY",
  "a descriptor of the server": node(
    'const fs=require("fs");for(let d=3;d<300;d++)try{const t=fs.readlinkSync("/proc/self/fd/"+d);if(/^\\//.test(t)&&!/^\\/(dev|proc|usr)/.test(t))console.log(t,"CANARY")}catch{}',
  ),
};

export const writings: Readonly<Record<string, string>> = {
  "a file outside": 'echo x >> "$OUT/outside.txt"; echo x > "$OUT/new.txt"',
  "a start file of the shell": 'echo x >> "$REAL_HOME/.bashrc"; echo x >> ~/.bashrc',
  "a program of the machine": "echo x > /usr/bin/agentq-was-here; echo x > /usr/local/bin/agentq-was-here",
  "a setting of the machine": "echo x > /etc/agentq-was-here; : >> /etc/hosts && echo CANARY",
  "a link that leads outside": 'echo x >> leads-out; ln -s "$OUT" own; echo x > own/new.txt',
  "a folder swapped for a link": 'rm -rf src; ln -s "$OUT" src; echo x > src/new.txt',
  "the folder above, by the working folder of a process":
    "echo x > /proc/self/cwd/../new.txt; echo x > /proc/1/root/new.txt",
  "a hook of git":
    "mkdir -p .git/hooks; printf '#!/bin/sh\\n' > .git/hooks/pre-commit; git config core.pager evil; git init -q .",
  "a file with secrets": "echo x >> .env; rm -f .env; mv src/a.ts .env; chmod 777 .env",
  "a mount made writable again": "mount -o remount,rw /usr; mount -o remount,rw,bind /; echo x > /usr/agentq-was-here",
  "a mount of its own": 'mkdir m; mount --bind "$OUT" m; mount -t tmpfs none m; echo x > m/new.txt',
  "an overlay unmounted": 'umount -l "$PWD"; umount -l .env; cat .env; echo x > new.txt',
  "namespaces of its own":
    'unshare -Urm sh -c "umount -l .env; mount -o remount,rw /usr; echo x > /usr/agentq-was-here"',
  "the namespaces of the first process": "nsenter -t 1 -a sh -c 'echo x > /usr/agentq-was-here'",
  "another root folder": "mkdir r; chroot r true; pivot_root r r",
  "a program that changes its user":
    "su -c 'touch /usr/agentq-was-here'; sudo -n touch /usr/agentq-was-here; cp /bin/sh s; chmod 6755 s; ./s -p -c 'touch /usr/agentq-was-here'",
  "a setting of the kernel":
    "cp /proc/sys/kernel/core_pattern /tmp/p; cat /tmp/p > /proc/sys/kernel/core_pattern && echo CANARY; echo h > /proc/sysrq-trigger && echo CANARY",
  "a control group": "mkdir /sys/fs/cgroup/agentq; echo x > /sys/fs/cgroup/release_agent",
  "a file named as a deletion": "mknod src/a.ts c 0 0; mknod gone c 0 0; rm -rf src; mknod src c 0 0",
  "the marks of the overlay": node(
    'require("fs").mkdirSync("opaque");try{require("child_process").execSync("setfattr -n user.overlay.opaque -v y opaque; setfattr -n trusted.overlay.redirect -v /etc src")}catch{}',
  ),
  "a file that is larger than any disk": "truncate -s 3G big; dd if=/dev/zero of=big2 bs=1M seek=3000 count=1",
  "names that nobody expects":
    "touch -- '-rf' \"$(printf 'a\\nb')\" \"$(printf 'a\\033[2Jb')\"; mkdir ' '; touch ' /..x'",
  "a very deep folder": "for i in $(seq 300); do mkdir d && cd d || exit; done; touch end",
};

export const reachings: Readonly<Record<string, string>> = {
  "a port of the machine": node(
    'require("net").connect(+process.env.PORT,"127.0.0.1").on("connect",()=>console.log("CANARY")).on("error",()=>{})',
  ),
  "a port of the machine by its name": node(
    'require("net").connect(+process.env.PORT,"localhost").on("connect",()=>console.log("CANARY")).on("error",()=>{})',
  ),
  "the internet": node(
    'const s=require("net").connect({port:443,host:"1.1.1.1",timeout:1500}).on("connect",()=>console.log("CANARY")).on("error",()=>{}).on("timeout",()=>s.destroy())',
  ),
  "a socket by its path": node(
    'require("net").connect(process.env.SOCKET).on("connect",()=>console.log("CANARY")).on("error",()=>{})',
  ),
  "a socket without a path": node(
    'require("net").connect("\\0"+process.env.ABSTRACT).on("connect",()=>console.log("CANARY")).on("error",()=>{})',
  ),
  "the bus of the desktop": "ls /run/dbus /run/user /var/run/docker.sock /tmp/.X11-unix && echo CANARY",
  "a process outside, by a signal": 'kill -0 "$OUTSIDER" && echo CANARY',
  "the server, by a signal": 'kill -0 "$SERVER" && echo CANARY',
  "the parent's terminal": node(
    'try{require("fs").writeSync(require("fs").openSync("/dev/tty","r+"),"x");console.log("CANARY")}catch{}',
  ),
  "the tracing of a process outside":
    'gdb -p "$OUTSIDER" -batch -ex "info proc" 2>&1 | sed -n "s/^exe.*/CANARY/p"; strace -p "$OUTSIDER" -o /dev/null && echo CANARY',
  "the memory of a process outside":
    'head -c 1 "/proc/$OUTSIDER/mem" && echo CANARY; ls "/proc/$OUTSIDER" && echo CANARY',
  "shared memory": "ipcs -m | grep -c 0x | grep -v '^0$' | sed 's/$/ CANARY/'; ls /dev/shm | sed 's/$/ CANARY/'",
  "the name of the machine": 'hostname "$(hostname)" && echo CANARY',
  "the clock of the machine": 'date -s "$(date)" && echo CANARY',
  "a program that stays": 'setsid sh -c "sleep 1; echo x > $PWD/later.txt" & nohup sleep 55 & disown 2>/dev/null',
};
