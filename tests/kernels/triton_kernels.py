# SPDX-License-Identifier: GPL-3.0-or-later
# Triton kernels for recordings: see README.md.
import os,sys,torch,triton,triton.language as tl
@triton.jit
def softmax(o,i,si,so,n,B:tl.constexpr):
    r=tl.program_id(0); c=tl.arange(0,B); m=c<n
    x=tl.load(i+r*si+c,mask=m,other=-float('inf')); x=x-tl.max(x,0); e=tl.exp(x); tl.store(o+r*so+c,e/tl.sum(e,0),mask=m)
@triton.jit
def matmul(a,b,c,M,N,K,sa,sb,sc,BM:tl.constexpr,BN:tl.constexpr,BK:tl.constexpr):
    pm=tl.program_id(0); pn=tl.program_id(1); rm=pm*BM+tl.arange(0,BM); rn=pn*BN+tl.arange(0,BN); rk=tl.arange(0,BK)
    acc=tl.zeros((BM,BN),tl.float32)
    for k in range(0,K,BK):
        x=tl.load(a+rm[:,None]*sa+(k+rk)[None,:]); y=tl.load(b+(k+rk)[:,None]*sb+rn[None,:]); acc=tl.dot(x,y,acc)
    tl.store(c+rm[:,None]*sc+rn[None,:],acc.to(tl.float16))
@triton.jit
def scan(o,i,B:tl.constexpr):
    c=tl.arange(0,B); r=tl.program_id(0); tl.store(o+r*B+c,tl.cumsum(tl.load(i+r*B+c),0))
@triton.jit
def sort(o,i,B:tl.constexpr):
    c=tl.arange(0,B); r=tl.program_id(0); tl.store(o+r*B+c,tl.sort(tl.load(i+r*B+c)))
@triton.jit
def transpose(o,i,n,B:tl.constexpr):
    r=tl.program_id(0)*B+tl.arange(0,B); c=tl.program_id(1)*B+tl.arange(0,B)
    x=tl.load(i+r[:,None]*n+c[None,:]); tl.store(o+c[:,None]*n+r[None,:],tl.trans(x))
@triton.jit
def histogram(o,i,B:tl.constexpr,N:tl.constexpr):
    x=tl.load(i+tl.program_id(0)*B+tl.arange(0,B)); h=tl.histogram(x,N); tl.atomic_add(o+tl.arange(0,N),h)
torch.manual_seed(1); d='cuda'
x=torch.randn(64,1000,device=d); y=torch.empty_like(x)
softmax[(64,)](y,x,1000,1000,1000,B=1024)
a=torch.randn(256,128,device=d,dtype=torch.float16); b=torch.randn(128,256,device=d,dtype=torch.float16); c=torch.empty(256,256,device=d,dtype=torch.float16)
matmul[(4,4)](a,b,c,256,256,128,128,256,256,BM=64,BN=64,BK=32)
i=torch.randint(0,1000,(8,1024),device=d,dtype=torch.int32); o=torch.empty_like(i)
scan[(8,)](o,i,B=1024); sort[(8,)](o,i,B=1024)
t=torch.randn(256,256,device=d); u=torch.empty_like(t); transpose[(4,4)](u,t,256,B=64)
k=torch.randint(0,64,(4096,),device=d,dtype=torch.int32); h=torch.zeros(64,device=d,dtype=torch.int32); histogram[(4,)](h,k,B=1024,N=64)
torch.cuda.synchronize()
if len(sys.argv)>1:
    os.makedirs(sys.argv[1],exist_ok=True)
    i.cpu().numpy().tofile(sys.argv[1]+'/ints.bin'); k.cpu().numpy().tofile(sys.argv[1]+'/keys.bin')
